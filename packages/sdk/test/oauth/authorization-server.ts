import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen, type Listening } from '../listening.ts';

/** Answers of a server that is its own authorization server. `undefined`: 404. */
export interface Answers {
  /** Protected-resource metadata; a number is a status without one. */
  readonly resource?: ((url: string) => object) | number | undefined;
  /** Authorization-server metadata. */
  readonly server?: ((url: string) => object) | number | undefined;
  readonly openId?: ((url: string) => object) | undefined;
  readonly register?: object | undefined;
  /** Answers of the token endpoint, in order; the last one is repeated. */
  readonly tokens?: readonly (readonly [status: number, body: object | string])[] | undefined;
}

export interface AuthorizationServer extends Listening {
  /** Requests as they came, with `<port>` in place of the port. */
  readonly requests: object[];
}

const SHOWN_HEADERS = ['mcp-protocol-version', 'content-type', 'authorization', 'x-mine'];
const STATUS_TEXT = 'It is not here.';

export const goodResource = (url: string): object => ({
  resource: `${url}/mcp`,
  authorization_servers: [url],
  scopes_supported: ['read', 'write'],
});
export const goodServer = (url: string): object => ({
  issuer: url,
  authorization_endpoint: `${url}/login`,
  token_endpoint: `${url}/tokens`,
  registration_endpoint: `${url}/clients`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
});

/** A protected server and its authorization server at one address of this machine. */
export async function authorizationServer(answers: Answers): Promise<AuthorizationServer> {
  const requests: object[] = [];
  const tokens = [...(answers.tokens ?? [[200, { access_token: 'fresh', token_type: 'Bearer', expires_in: 60 }]])];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url: path = '' } = request;
    const body = await text(request);
    const headers = SHOWN_HEADERS.flatMap((name) => {
      const value = request.headers[name];
      return value === undefined ? [] : [[name, value]];
    });
    requests.push({ method, path, ...Object.fromEntries(headers), ...(body !== '' && { body: steady(body) }) });
    const [status, answer] = answerTo(method ?? '', path);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  };
  const answerTo = (method: string, path: string): readonly [status: number, body: object | string] => {
    const made = (what: Answers['resource']): readonly [number, object | string] => {
      if (typeof what === 'function') return [200, what(listening.url)];
      return [what ?? 404, STATUS_TEXT];
    };
    if (path.startsWith('/.well-known/oauth-protected-resource')) return made(answers.resource);
    if (path === '/.well-known/oauth-authorization-server') return made(answers.server);
    if (path === '/.well-known/openid-configuration') return made(answers.openId);
    if (method === 'POST' && /^\/(?:clients|register)$/.test(path) && answers.register) return [201, answers.register];
    if (method === 'POST' && /^\/tokens?$/.test(path))
      return (tokens.length > 1 ? tokens.shift() : tokens[0]) ?? [404, STATUS_TEXT];
    return [404, STATUS_TEXT];
  };
  const listener: RequestListener = (request, response) => void handle(request, response);
  const listening = await listen(listener);
  return { ...listening, requests };
}

/** A text without what is never twice the same: ports and PKCE. */
export function steady(value: string): string {
  return value
    .replaceAll(/127\.0\.0\.1(:|%3A)\d+/g, '127.0.0.1$1<port>')
    .replaceAll(/(code_verifier|code_challenge)=[\w~.%-]{43,}/g, '$1=<random>');
}
