import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requireBearerAuth, type BearerAuthOptions } from 'crosspoint/auth/server';
import {
  createAuthorizationServer,
  passwordLogin,
  type AuthorizationServer,
  type AuthorizationServerOptions,
} from '../src/index.ts';
import type { Served } from 'crosspoint/internal/auth-server';
import { createMcpHandler, type McpHandler, type McpServer } from 'crosspoint/server';
import { makeServer } from '../../crosspoint/test/http/serving.ts';

/** Where the tests' clients are sent back to. Nothing listens there: the browser of the tests stops before it. */
export const CALLBACK = 'https://client.example.com/callback';
export const CLIENT = { client_id: 'desk', client_name: 'Desk', redirect_uris: [CALLBACK] };
export const PEOPLE: Readonly<Record<string, string>> = { ada: 'engine', bob: 'builder' };

export const byPassword = passwordLogin({
  check: (name, password) => (PEOPLE[name] === password ? { sub: name, name: `Person ${name}` } : undefined),
});

export interface Started {
  readonly port: number;
  readonly url: string;
  readonly resource: string;
  readonly as: AuthorizationServer;
  readonly handler: McpHandler;
  readonly problems: Error[];
}

const open: { http: HttpServer; handler: McpHandler }[] = [];

export async function closeStarted(): Promise<void> {
  for (const { http, handler } of open.splice(0)) {
    await handler.close({ grace: 0 });
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
}

export interface StartOptions {
  readonly as?: Partial<AuthorizationServerOptions>;
  readonly auth?: Partial<BearerAuthOptions>;
  readonly server?: McpServer;
  /** Further routes, once the address is known. */
  readonly also?: (at: { url: string; as: AuthorizationServer; problems: Error[] }) => readonly Served[];
  readonly serverOf?: (at: { url: string; as: AuthorizationServer; routes: readonly Served[] }) => McpServer;
}

/** An authorization server and an MCP server that it protects, on one port. */
export async function start(options: StartOptions = {}): Promise<Started> {
  const problems: Error[] = [];
  const http = createServer();
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const resource = `${url}/mcp`;
  const as = createAuthorizationServer({
    issuer: url,
    resource,
    scopes: ['read', 'write'],
    clients: [CLIENT],
    login: byPassword,
    onproblem: (problem) => problems.push(problem),
    ...options.as,
  });
  const auth = requireBearerAuth({
    verifier: as.verifier,
    audience: resource,
    authorizationServers: [as.issuer],
    onproblem: (problem) => problems.push(problem),
    ...options.auth,
  });
  const routes = [as, ...(options.also?.({ url, as, problems }) ?? [])];
  const handler = createMcpHandler(options.serverOf?.({ url, as, routes }) ?? options.server ?? makeServer(), {
    auth,
    path: '/mcp',
  });
  http.on('request', (request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const served = routes.find((route) => route.serves(path));
    void (served ? served.node(request, response) : handler.node(request, response));
  });
  open.push({ http, handler });
  return { port, url, resource, as, handler, problems };
}

/** A browser as far as these flows need one: cookies, redirects within the servers of the test, forms. */
export class Browser {
  readonly cookies = new Map<string, Map<string, string>>();
  /** The headers `Set-Cookie` that were received. */
  readonly setCookies: string[] = [];
  readonly visited: string[] = [];
  url = '';
  status = 0;
  headers = new Headers();
  html = '';

  /** Goes to an address and follows redirects, as long as they lead to this machine. */
  async go(url: string, init: RequestInit = {}): Promise<this> {
    for (let next: string | undefined = url, step = 0; next !== undefined && step < 20; step += 1) {
      this.url = next;
      const { hostname, origin } = new URL(next);
      if (hostname !== '127.0.0.1') return this;
      this.visited.push(next);
      const jar: Map<string, string> = this.cookies.get(origin) ?? new Map<string, string>();
      this.cookies.set(origin, jar);
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = new Headers(step === 0 ? init.headers : {});
      if (cookie !== '') headers.set('cookie', cookie);
      const response: Response = await fetch(next, { ...(step === 0 ? init : {}), headers, redirect: 'manual' });
      for (const set of response.headers.getSetCookie()) {
        this.setCookies.push(set);
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        if (/Max-Age=0/.test(set)) jar.delete(name);
        else jar.set(name, value);
      }
      this.status = response.status;
      this.headers = response.headers;
      this.html = await response.text();
      const location = response.headers.get('location');
      next = location === null ? undefined : new URL(location, next).href;
    }
    return this;
  }

  /** Sends the form of the page, with what is hidden in it. */
  async submit(fields: Record<string, string>, from = new URL(this.url).origin): Promise<this> {
    const hidden = [...this.html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
    const all = { ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])), ...fields };
    return this.go(this.url, {
      method: 'POST',
      body: new URLSearchParams(all as Record<string, string>),
      headers: { origin: from },
    });
  }

  logIn(name: string): Promise<this> {
    return this.submit({ username: name, password: PEOPLE[name] ?? '' });
  }

  /** The parameters of the address at which it stands. */
  get params(): URLSearchParams {
    return new URL(this.url).searchParams;
  }
}

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function pkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export function authorizeUrl(at: Started, { challenge }: Pkce, more: Record<string, string | undefined> = {}): string {
  const all: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: CLIENT.client_id,
    redirect_uri: CALLBACK,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'st4te',
    scope: 'read',
    resource: at.resource,
    ...more,
  };
  const url = new URL(`${at.as.issuer}/authorize`);
  for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

export interface TokenReply {
  status: number;
  headers: Headers;
  body: Record<string, string> & { expires_in?: number };
}

export async function postForm(
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<TokenReply> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers });
  return { status: response.status, headers: response.headers, body: (await response.json()) as TokenReply['body'] };
}

export function redeem(
  at: Started,
  code: string,
  { verifier }: Pkce,
  more: Record<string, string> = {},
): Promise<TokenReply> {
  return postForm(`${at.as.issuer}/token`, {
    grant_type: 'authorization_code',
    client_id: CLIENT.client_id,
    code,
    code_verifier: verifier,
    redirect_uri: CALLBACK,
    resource: at.resource,
    ...more,
  });
}

/** The whole way: log in, allow, exchange. */
export async function obtain(
  at: Started,
  name = 'ada',
  more: Record<string, string | undefined> = {},
): Promise<{ browser: Browser; tokens: TokenReply['body']; secret: Pkce }> {
  const secret = pkce();
  const browser = await new Browser().go(authorizeUrl(at, secret, more));
  await browser.logIn(name);
  await browser.submit({ action: 'approve' });
  const given = Object.fromEntries(Object.entries(more).filter(([key]) => ['client_id', 'redirect_uri'].includes(key)));
  const { status, body } = await redeem(at, browser.params.get('code') ?? '', secret, given as Record<string, string>);
  if (status !== 200)
    throw new Error(`The code was not exchanged: ${JSON.stringify(body)} at ${browser.url}\n${browser.html}`);
  return { browser, tokens: body, secret };
}

export async function register(
  at: Started,
  metadata: object,
  headers: Record<string, string> = {},
): Promise<TokenReply> {
  const response = await fetch(`${at.as.issuer}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(metadata),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as TokenReply['body'] };
}

export const bearer = (token: string | undefined): Record<string, string> => ({ authorization: `Bearer ${token}` });
