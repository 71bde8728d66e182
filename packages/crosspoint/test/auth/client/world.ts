/** An MCP server that wants tokens and the authorization server that issues them, both real servers on this machine, both as odd as a test wants. */
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '../../../src/client/index.ts';
import type { AuthorizationOptions } from '../../../src/client/connecting/lazy-authorizer.ts';
import { StoredProvider, type StoredProviderOptions, type UserAgent } from '../../../src/auth/index.ts';
import { McpServer, createMcpHandler, text } from '../../../src/server/index.ts';
import { sendJson, serve } from '../serving.ts';

type Members = Record<string, unknown>;

export interface Logged {
  readonly at: 'as' | 'mcp';
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Of a form. */
  readonly form: URLSearchParams;
  readonly json: Members;
  readonly authorization: string | undefined;
  readonly dpop: string | undefined;
}

export interface Answer {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

export interface WorldOptions {
  /** The path of the issuer at the authorization server; none when absent. */
  readonly issuerPath?: string;
  /** Where the metadata of the authorization server is. */
  readonly metadataPath?: string;
  readonly metadata?: (usual: Members, world: World) => Members | undefined;
  readonly prmPath?: string | null;
  readonly prm?: (usual: Members, world: World) => Members;
  /** The parameters of the challenge; `null`: no header at all. */
  readonly challenge?: ((usual: Record<string, string>, world: World) => Record<string, string> | null) | undefined;
  /** What comes back from the page. */
  readonly callback?: (usual: Record<string, string>) => Record<string, string | undefined>;
  readonly token?: (request: Logged, usual: () => Answer) => Answer;
  readonly register?: (request: Logged, usual: () => Answer) => Answer;
  readonly lifetime?: number;
  readonly refreshTokens?: 'rotating' | 'fixed' | 'none';
  /** The scope that a JSON-RPC method needs. */
  readonly needs?: (method: string) => string | undefined;
  readonly serverPath?: string;
}

export interface World {
  readonly as: string;
  readonly issuer: string;
  readonly mcp: string;
  readonly log: Logged[];
  readonly tokens: Map<string, { scope: string; isOver: boolean }>;
  /** The requests with this method and path. */
  seen(what: string): Logged[];
  /** Every token that was issued is refused from now on. */
  expireAll(): void;
  close(): Promise<void>;
}

/** A user who approves at once: goes to the page and comes back with what it says. */
export const approving: UserAgent & { pages: URL[] } = {
  pages: [],
  begin: () => Promise.resolve('http://127.0.0.1:9/callback'),
  async visit(page) {
    this.pages.push(page);
    const response = await fetch(page, { redirect: 'manual' });
    const location = response.headers.get('location');
    if (location === null) throw new Error(`The page answered ${response.status}: ${await response.text()}`);
    return new URL(location).searchParams;
  },
  end: () => Promise.resolve(),
};

export function login(world: World, options: Partial<StoredProviderOptions> = {}): StoredProvider {
  return new StoredProvider({ serverUrl: world.mcp, clientName: 'Test', userAgent: approving, ...options });
}

/** Connects, calls a tool, and closes. */
export async function use(
  world: Pick<World, 'mcp'>,
  authProvider: AuthorizationOptions['authProvider'],
  options: Omit<AuthorizationOptions, 'authProvider'> = {},
): Promise<string> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  try {
    await client.connect(new StreamableHTTPClientTransport(world.mcp, { authProvider, ...options }));
    const { content } = await client.callTool({ name: 'whoami', arguments: {} });
    return content[0]?.type === 'text' ? content[0].text : '';
  } finally {
    await client.close();
  }
}

/** The error of a login that has to fail. */
export async function failureOf(work: Promise<unknown>): Promise<Error & { fault?: string; code?: string }> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!('error' in outcome)) throw new Error(`It should have failed, and came to ${JSON.stringify(outcome.value)}.`);
  return outcome.error as Error;
}

interface Grant {
  readonly challenge: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
}

class Running implements World {
  as = '';
  mcp = '';
  readonly log: Logged[] = [];
  readonly tokens = new Map<string, { scope: string; isOver: boolean }>();
  readonly codes = new Map<string, Grant>();
  readonly refreshes = new Map<string, { scope: string; isUsed: boolean }>();
  readonly options: WorldOptions;
  closing: (() => Promise<void>)[] = [];

  constructor(options: WorldOptions) {
    this.options = options;
  }

  get issuer(): string {
    return `${this.as}${this.options.issuerPath ?? ''}`;
  }

  seen(what: string): Logged[] {
    return this.log.filter(({ method, path }) => `${method} ${path}` === what);
  }

  expireAll(): void {
    for (const token of this.tokens.values()) token.isOver = true;
  }

  async close(): Promise<void> {
    for (const close of this.closing.splice(0)) await close();
  }

  issue(scope: string): Members {
    const token = `token-${randomUUID()}`;
    this.tokens.set(token, { scope, isOver: false });
    const { refreshTokens = 'rotating', lifetime = 3600 } = this.options;
    const refresh = `refresh-${randomUUID()}`;
    if (refreshTokens !== 'none') this.refreshes.set(refresh, { scope, isUsed: false });
    return {
      access_token: token,
      token_type: 'Bearer',
      expires_in: lifetime,
      ...(scope !== '' && { scope }),
      ...(refreshTokens !== 'none' && { refresh_token: refresh }),
    };
  }

  metadata(): Members | undefined {
    const base = this.issuer;
    const usual = {
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      registration_endpoint: `${base}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
    };
    return this.options.metadata === undefined ? usual : this.options.metadata(usual, this);
  }

  answerToken(request: Logged): Answer {
    const { form } = request;
    const no = (error: string): Answer => ({ status: 400, body: { error } });
    switch (form.get('grant_type')) {
      case 'authorization_code': {
        const grant = this.codes.get(form.get('code') ?? '');
        this.codes.delete(form.get('code') ?? '');
        const digest = createHash('sha256')
          .update(form.get('code_verifier') ?? '')
          .digest('base64url');
        const isGood = grant?.challenge === digest && grant.redirectUri === form.get('redirect_uri');
        return isGood ? { body: this.issue(grant.scope) } : no('invalid_grant');
      }
      case 'refresh_token': {
        const kept = this.refreshes.get(form.get('refresh_token') ?? '');
        if (kept === undefined || kept.isUsed) {
          // Reuse ends everything that came of it.
          if (kept?.isUsed === true) for (const each of this.refreshes.values()) each.isUsed = true;
          return no('invalid_grant');
        }
        if (this.options.refreshTokens === 'fixed') {
          const { refresh_token: _same, ...rest } = this.issue(kept.scope);
          return { body: rest };
        }
        kept.isUsed = true;
        return { body: this.issue(kept.scope) };
      }
      case null:
        return no('invalid_request');
      default:
        return { body: { ...this.issue(form.get('scope') ?? ''), refresh_token: undefined } };
    }
  }

  answerAs(request: Logged, response: ServerResponse): void {
    const { options } = this;
    const base = options.issuerPath ?? '';
    const give = ({ status = 200, body, headers = {} }: Answer): void => sendJson(response, body, status, headers);
    if (request.path === (options.metadataPath ?? `/.well-known/oauth-authorization-server${base}`)) {
      const metadata = this.metadata();
      return metadata === undefined ? void response.writeHead(404).end() : give({ body: metadata });
    }
    if (request.path === `${base}/authorize`) return this.authorize(request, response);
    if (request.path === `${base}/token`) {
      const usual = (): Answer => this.answerToken(request);
      return give(options.token === undefined ? usual() : options.token(request, usual));
    }
    if (request.path === `${base}/register`) {
      const usual = (): Answer => ({ status: 201, body: { ...request.json, client_id: `client-${randomUUID()}` } });
      return give(options.register === undefined ? usual() : options.register(request, usual));
    }
    response.writeHead(404).end();
  }

  authorize({ query }: Logged, response: ServerResponse): void {
    const code = `code-${randomUUID()}`;
    const redirectUri = query.get('redirect_uri') ?? '';
    this.codes.set(code, {
      challenge: query.get('code_challenge') ?? '',
      clientId: query.get('client_id') ?? '',
      redirectUri,
      scope: query.get('scope') ?? '',
    });
    const usual = { code, state: query.get('state') ?? '' };
    const params = this.options.callback === undefined ? usual : this.options.callback(usual);
    const back = new URL(redirectUri);
    for (const [name, value] of Object.entries(params)) if (value !== undefined) back.searchParams.set(name, value);
    response.writeHead(302, { Location: back.href }).end();
  }

  /** True when the request may pass; else it has been answered. */
  passes(request: Logged, response: ServerResponse): boolean {
    const { options } = this;
    const prmPath =
      options.prmPath === undefined
        ? `/.well-known/oauth-protected-resource${options.serverPath ?? '/mcp'}`
        : options.prmPath;
    if (prmPath !== null && request.path === prmPath) {
      const usual = { resource: this.mcp, authorization_servers: [this.issuer] };
      sendJson(response, options.prm === undefined ? usual : options.prm(usual, this));
      return false;
    }
    if (request.path !== (options.serverPath ?? '/mcp')) {
      response.writeHead(404).end();
      return false;
    }
    const token = this.tokens.get(request.authorization?.replace(/^Bearer /, '') ?? '');
    const needed = options.needs?.(String(request.json['method']));
    const has = token?.scope.split(' ') ?? [];
    if (token !== undefined && !token.isOver && (needed === undefined || has.includes(needed))) return true;
    const isGood = token !== undefined && !token.isOver;
    const usual: Record<string, string> = {
      ...(prmPath !== null && { resource_metadata: `${new URL(this.mcp).origin}${prmPath}` }),
      ...(isGood && { error: 'insufficient_scope' }),
      ...(needed !== undefined && { scope: needed }),
    };
    const params = options.challenge === undefined ? usual : options.challenge(usual, this);
    const header =
      params === null
        ? {}
        : {
            'WWW-Authenticate': `Bearer ${Object.entries(params)
              .map(([name, value]) => `${name}="${value}"`)
              .join(', ')}`.trim(),
          };
    sendJson(response, { error: 'no' }, isGood ? 403 : 401, header);
    return false;
  }
}

function logged(at: 'as' | 'mcp', request: IncomingMessage, body: string): Logged {
  const url = new URL(request.url ?? '/', 'http://any');
  const isJson = request.headers['content-type']?.startsWith('application/json') === true;
  return {
    at,
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    form: new URLSearchParams(isJson ? '' : body),
    json: isJson && body !== '' ? (JSON.parse(body) as Members) : {},
    authorization: request.headers.authorization,
    dpop: request.headers['dpop'] as string | undefined,
  };
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const world = new Running(options);
  const server = new McpServer({ name: 'guarded', version: '1.0.0' });
  server.registerTool('whoami', {}, () => text('a user'));
  const handler = createMcpHandler(server);
  const as = await serve((request, response, body) => {
    const entry = logged('as', request, body);
    world.log.push(entry);
    world.answerAs(entry, response);
  });
  const mcp = await serve(async (request, response, body) => {
    const entry = logged('mcp', request, body);
    world.log.push(entry);
    if (!world.passes(entry, response)) return;
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const init =
      request.method === 'POST' ? { method: 'POST', headers, body } : { method: request.method ?? 'GET', headers };
    const answer = await handler.fetch(new Request(world.mcp, init));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) return void response.end();
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) response.write(chunk);
    response.end();
  });
  world.as = as.url;
  world.mcp = `${mcp.url}${options.serverPath ?? '/mcp'}`;
  world.closing = [() => handler.close({ grace: 0 }), () => as.close(), () => mcp.close()];
  return world;
}
