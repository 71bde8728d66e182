import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Client } from 'crosspoint/client';
import { createMcpHandler, McpServer } from 'crosspoint/server';
import { until } from '../../../crosspoint/test/until.ts';
import type { OAuthClientProvider } from '../../src/client/auth.ts';
import type { OAuthTokens } from '../../src/shared/auth.ts';
import { StreamableHTTPClientTransport } from '../../src/client/streamableHttp.ts';
import { listen, type Listening } from '../listening.ts';
import { failure, runBoth, shown, type Program, type Sdk } from './both.ts';

interface Asked {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly message: { id?: number; method?: string } | undefined;
}
/** Answers one request; `undefined` leaves it to a plain server. */
type Answer = (asked: Asked, res: ServerResponse, index: number) => true | undefined;

const STREAM = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };
const result = (id: unknown, value: object = {}): string => JSON.stringify({ jsonrpc: '2.0', id, result: value });
const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 's', version: '1' },
};

/** A server of one session that answers as `answer` says, and otherwise with empty results. */
function serverOf(answer: Answer = () => undefined) {
  return () => {
    let count = 0;
    return (req: IncomingMessage, res: ServerResponse): void => {
      let body = '';
      req.on('data', (chunk: Buffer) => (body += chunk.toString()));
      req.on('end', () => {
        const message = body === '' ? undefined : (JSON.parse(body) as Asked['message']);
        const { method = '', headers } = req;
        if (answer({ method, headers, message }, res, count++) === true) return;
        if (method !== 'POST') res.writeHead(405).end();
        else if (message?.id === undefined) res.writeHead(202).end();
        else if (message.method === 'initialize')
          res.writeHead(200, { ...JSON_TYPE, 'mcp-session-id': 'one' }).end(result(message.id, INITIALIZED));
        else res.writeHead(200, JSON_TYPE).end(result(message.id));
      });
    };
  };
}

const to =
  (status: number, body = '', headers: Record<string, string> = {}): Answer =>
  (_asked, res) => (res.writeHead(status, headers).end(body), true);

const quick = { initialReconnectionDelay: 20, maxReconnectionDelay: 20, reconnectionDelayGrowFactor: 1, maxRetries: 2 };
const client = ({ Client }: Sdk) => new Client({ name: 'c', version: '1' });
const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' }) as const;

/** Connects, and tells the error of it and everything told to `onerror`. */
const connecting: Program = async (sdk, url) => {
  const transport = new sdk.StreamableHTTPClientTransport(url);
  const told: object[] = [];
  transport.onerror = (error) => void told.push(shown(error));
  return { failed: await failure(client(sdk).connect(transport)), told };
};

const CASES: Record<string, [Answer | undefined, Program]> = {
  'a 401 without a provider': [to(401, 'who?', { 'www-authenticate': 'Bearer' }), connecting],
  'a 500 with a text': [to(500, 'broken'), connecting],
  'a 400 with an error of the protocol': [
    to(400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}', JSON_TYPE),
    connecting,
  ],
  'another content type': [to(200, '<html>', { 'content-type': 'text/html' }), connecting],
  'a body that is no JSON': [to(200, 'not json', JSON_TYPE), connecting],
  'a redirect to another origin': [to(307, '', { location: 'http://127.0.0.1:1/elsewhere?token=1' }), connecting],
  'a server that is not there': [
    undefined,
    async (sdk) => {
      const error = await client(sdk)
        .connect(new sdk.StreamableHTTPClientTransport(new URL('http://127.0.0.1:1/mcp')))
        .catch((thrown: unknown) => thrown as Error);
      return [shown(error), shown((error as Error).cause)];
    },
  ],
  'messages before the start, and a second start': [
    undefined,
    async (sdk, url) => {
      const transport = new sdk.StreamableHTTPClientTransport(url);
      const got: unknown[] = [];
      transport.onmessage = (message) => void got.push(message);
      await transport.send(ping(7));
      await transport.start();
      return { got, again: await failure(transport.start()) };
    },
  ],
  'a session that the server has lost': [
    ({ message }, res) =>
      message?.method === 'ping' ? (res.writeHead(404).end('Session not found'), true) : undefined,
    async (sdk, url) => {
      const transport = new sdk.StreamableHTTPClientTransport(url);
      const one = client(sdk);
      await one.connect(transport);
      const lost = await failure(one.ping());
      return { lost, sessionId: transport.sessionId, tools: await failure(one.request({ method: 'x' }, anything)) };
    },
  ],
  'ending a session that is not allowed to end, or not known': [
    ({ method }, res, index) => (method === 'DELETE' ? (res.writeHead(index < 4 ? 404 : 405).end(), true) : undefined),
    async (sdk, url) => {
      const transport = new sdk.StreamableHTTPClientTransport(url);
      const told: object[] = [];
      transport.onerror = (error) => void told.push(shown(error));
      await client(sdk).connect(transport);
      await until(() => transport.protocolVersion !== undefined);
      await pause(50);
      const unknown = await failure(transport.terminateSession());
      return { unknown, allowed: await failure(transport.terminateSession()), id: transport.sessionId ?? null, told };
    },
  ],
  'the headers of every request': [
    ({ headers, method }, res) => {
      if (method !== 'DELETE') return undefined;
      res.writeHead(200, { 'x-seen': JSON.stringify(headers) }).end();
      return true;
    },
    async (sdk, url) => {
      const seen: unknown[] = [];
      const transport = new sdk.StreamableHTTPClientTransport(url, {
        requestInit: { headers: [['x-own', 'mine']] },
        fetch: async (input, init) => {
          const { method, body } = init ?? {};
          const headers = Object.fromEntries(new Headers(init?.headers));
          seen.push([method, headers, typeof body === 'string' ? (JSON.parse(body) as Asked['message'])?.method : '']);
          return fetch(input, init);
        },
      });
      const one = client(sdk);
      await one.connect(transport);
      await until(() => seen.length === 3);
      await one.ping();
      await transport.terminateSession();
      return seen;
    },
  ],
  'a session that is continued': [
    undefined,
    async (sdk, url) => {
      const seen: unknown[] = [];
      const transport = new sdk.StreamableHTTPClientTransport(url, {
        sessionId: 'earlier',
        fetch: (input, init) => {
          seen.push([init?.method, new Headers(init?.headers).get('mcp-session-id')]);
          return fetch(input, init);
        },
      });
      const one = client(sdk);
      await one.connect(transport);
      await one.ping();
      return seen;
    },
  ],
  'a standing stream that breaks and cannot be opened again': [
    ({ method }, res, index) => {
      if (method !== 'GET') return undefined;
      if (index > 2) res.writeHead(500).end();
      else res.writeHead(200, STREAM).write('id: 1\ndata: \n\n', () => setTimeout(() => res.destroy(), 20));
      return true;
    },
    async (sdk, url) => {
      const told: object[] = [];
      const transport = new sdk.StreamableHTTPClientTransport(url, { reconnectionOptions: quick });
      transport.onerror = (error) => void told.push(shown(error));
      const one = client(sdk);
      const heard: string[] = [];
      one.onerror = ({ message }) => void heard.push(message);
      await one.connect(transport);
      await until(() => told.length === 6);
      await pause(60);
      return { told, heard };
    },
  ],
  'a standing stream that ends is resumed from its last event': [
    ({ method, headers }, res) => {
      if (method !== 'GET') return undefined;
      const last = Number(headers['last-event-id'] ?? 0);
      res.writeHead(200, STREAM);
      const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      res.write(`retry: 10\nid: ${last + 1}\ndata: ${note}\n\n`);
      if (last < 2) res.end();
      return true;
    },
    async (sdk, url) => {
      const got: unknown[] = [];
      const transport = new sdk.StreamableHTTPClientTransport(url);
      transport.onmessage = (message) => void got.push('method' in message ? message.method : 'answer');
      const one = client(sdk);
      await one.connect(transport);
      await until(() => got.length === 4);
      await one.close();
      return got;
    },
  ],
  'an answer whose stream breaks is fetched where the stream has an id': [
    ({ method, headers, message }, res) => {
      if (message?.method === 'ping') {
        res.writeHead(200, STREAM).write('id: p1\ndata: \n\n', () => setTimeout(() => res.destroy(), 20));
        return true;
      }
      if (method !== 'GET' || headers['last-event-id'] === undefined) return undefined;
      res.writeHead(200, STREAM).end(`id: p2\ndata: ${result(1, { from: headers['last-event-id'] })}\n\n`);
      return true;
    },
    async (sdk, url) => {
      const transport = new sdk.StreamableHTTPClientTransport(url, { reconnectionOptions: quick });
      const [told, got, tokens]: unknown[][] = [[], [], []];
      transport.onerror = (error) => void told?.push(shown(error));
      transport.onmessage = (message) => void got?.push(message);
      await transport.start();
      await transport.send(ping(1), { onresumptiontoken: (token) => void tokens?.push(token) });
      await until(() => got?.length === 1);
      await pause(60);
      return { told, got, tokens };
    },
  ],
  'an answer whose stream breaks without an id': [
    (_asked, res) => (res.writeHead(200, STREAM).write(': hi\n\n', () => setTimeout(() => res.destroy(), 20)), true),
    async (sdk, url) => {
      const told: object[] = [];
      const transport = new sdk.StreamableHTTPClientTransport(url, { reconnectionOptions: quick });
      transport.onerror = (error) => void told.push(shown(error));
      await transport.start();
      const sent = await failure(transport.send(ping(1)));
      await until(() => told.length === 1);
      await pause(60);
      return { sent, told };
    },
  ],
  'garbage among the events': [
    (_asked, res) => (res.writeHead(200, STREAM).end(`data: {oops\n\ndata: {"a":1}\n\ndata: ${result(1)}\n\n`), true),
    async (sdk, url) => {
      const [told, got]: unknown[][] = [[], []];
      const transport = new sdk.StreamableHTTPClientTransport(url);
      transport.onerror = (error) => void told?.push(error.constructor.name);
      transport.onmessage = (message) => void got?.push(message);
      await transport.start();
      await transport.send(ping(1));
      await until(() => got?.length === 1);
      return { told, got };
    },
  ],
  'a second transport on the same session resumes a stream': [
    ({ method, headers }, res) =>
      method === 'GET'
        ? (res.writeHead(200, STREAM).end(`id: z\ndata: ${result(1, { after: headers['last-event-id'] })}\n\n`), true)
        : undefined,
    async (sdk, url) => {
      const got: unknown[] = [];
      const transport = new sdk.StreamableHTTPClientTransport(url, { sessionId: 'one' });
      transport.onmessage = (message) => void got.push(message);
      await transport.start();
      await transport.resumeStream('y');
      await transport.send(ping(9), { resumptionToken: 'x' });
      await until(() => got.length === 2);
      return got;
    },
  ],
  'a transport that was closed': [
    undefined,
    async (sdk, url) => {
      const transport = new sdk.StreamableHTTPClientTransport(url);
      let closed = 0;
      transport.onclose = () => void (closed += 1);
      await transport.start();
      await transport.close();
      await transport.close();
      return { closed, sent: await failure(transport.send(ping(1))) };
    },
  ],
  'completing a login without a provider': [
    undefined,
    async (sdk, url) => [
      await failure(new sdk.StreamableHTTPClientTransport(url).finishAuth('code')),
      await failure(new sdk.SSEClientTransport(url).finishAuth('code')),
    ],
  ],
};

const throwing = (): unknown => {
  throw new Error('mine');
};
const rejecting = (): unknown => Promise.reject(new Error('mine'));
const anything = { parse: (value: unknown) => value, safeParse: (data: unknown) => ({ success: true, data }) } as never;

describe('Streamable HTTP: a program sees with ours what it sees with v1', () => {
  it.each(Object.entries(CASES))('%s', async (_name, [answer, program]) => {
    const [official, ours] = await runBoth(program, serverOf(answer));
    expect(ours).toEqual(official);
  });
});

describe('Streamable HTTP', () => {
  const open: Listening[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });
  const serve = async (app: RequestListener): Promise<string> => {
    const listening = await listen(app);
    open.push(listening);
    return listening.url;
  };

  it('speaks the newest revision with a client of crosspoint', async () => {
    const server = new McpServer({ name: 's', version: '1' });
    server.registerTool('t', {}, () => ({ content: [] }));
    const handler = createMcpHandler(server, { path: '/mcp' });
    const url = await serve((req, res) => void handler.node(req, res));
    const one = new Client({ name: 'c', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', url));
    await one.connect(transport);
    expect((await one.listTools()).tools.map(({ name }) => name)).toEqual(['t']);
    expect([transport.protocolVersion, transport.sessionId]).toEqual(['2026-07-28', undefined]);
    await one.close();
    await handler.close();
  });

  it('reads no more than maxMessageBytes', async () => {
    const long = result(1, { text: 'x'.repeat(2000) });
    const url = await serve(serverOf(to(200, long, JSON_TYPE))());
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { maxMessageBytes: 1000 });
    await transport.start();
    await expect(transport.send(ping(1))).rejects.toThrow('limit of 1000 bytes');
  });

  it.each([
    ['throw', throwing],
    ['reject', rejecting],
  ])('goes on when callbacks of the program %s', async (_how, fault) => {
    const answer: Answer = ({ message }, res) => (
      res.writeHead(200, STREAM).end(`id: 1\ndata: no\n\nid: 2\ndata: ${result(message?.id)}\n\n`),
      true
    );
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', await serve(serverOf(answer)())));
    let count = 0;
    const faulty = (): never => {
      count += 1;
      return fault() as never;
    };
    Object.assign(transport, { onmessage: faulty, onerror: faulty, onclose: faulty });
    await transport.start();
    await transport.send(ping(1), { onresumptiontoken: faulty });
    // Two tokens, each told as a problem, a line that is no message, and a message whose failure is told as well.
    await until(() => count === 7);
    await transport.close();
    expect(count).toBe(9);
  });

  it.each([
    ['throws', throwing],
    ['rejects', rejecting],
    ['returns nothing', (): unknown => undefined],
  ])('fails a message when the fetch of the program %s', async (_how, fault) => {
    const told: Error[] = [];
    const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1:1/'), { fetch: fault as never });
    transport.onerror = (error) => void told.push(error);
    await transport.start();
    await expect(transport.send(ping(1))).rejects.toThrow();
    expect(told).toHaveLength(1);
  });

  it('shares one login among requests that are refused together', async () => {
    const asked: string[] = [];
    const url = await serve(protectedServer({ onrequest: (req) => void asked.push(String(req.url)) }));
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { authProvider: refreshing() });
    await transport.start();
    await Promise.all([transport.send(ping(1)), transport.send(ping(2))]);
    expect(asked.filter((each) => each === '/token')).toHaveLength(1);
  });

  it('sends the headers of the program to its server alone, and other settings with the login as well', async () => {
    const seen: Record<string, unknown> = {};
    const keep = (req: IncomingMessage): void => void (seen[String(req.url)] = req.headers['x-key']);
    const authority = await serve(protectedServer({ onrequest: keep }));
    const url = await serve(protectedServer({ onrequest: keep, issuer: authority }));
    const settings = new Set<unknown>();
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
      authProvider: refreshing(),
      requestInit: { headers: { 'x-key': 'secret' }, credentials: 'include' },
      fetch: (input, init) => {
        settings.add(init?.credentials);
        return fetch(input, init);
      },
    });
    await transport.start();
    await transport.send(ping(1));
    expect(seen).toEqual({
      '/mcp': 'secret',
      '/.well-known/oauth-protected-resource/mcp': 'secret',
      '/.well-known/oauth-authorization-server': undefined,
      '/token': undefined,
    });
    expect([...settings]).toEqual(['include']);
  });
});

/** A server that wants the token `new`, and the authorization server that gives it for a refresh token. */
function protectedServer(options: { onrequest(req: IncomingMessage): void; issuer?: string }) {
  const plain = serverOf()();
  return (req: IncomingMessage, res: ServerResponse): void => {
    options.onrequest(req);
    const base = `http://${req.headers.host}`;
    const json = (body: object): void => void res.writeHead(200, JSON_TYPE).end(JSON.stringify(body));
    if (req.url === '/.well-known/oauth-protected-resource/mcp')
      return json({ resource: `${base}/mcp`, authorization_servers: [options.issuer ?? base] });
    if (req.url === '/.well-known/oauth-authorization-server')
      return json({
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      });
    if (req.url === '/token') return json({ access_token: 'new', token_type: 'Bearer' });
    if (req.headers.authorization !== 'Bearer new') return void res.writeHead(401).end();
    plain(req, res);
  };
}

/** A provider with an old token that can be refreshed. */
function refreshing(): OAuthClientProvider {
  let tokens: OAuthTokens = { access_token: 'old', token_type: 'Bearer', refresh_token: 'r' };
  return {
    redirectUrl: 'http://localhost/callback',
    clientMetadata: { redirect_uris: ['http://localhost/callback'] },
    clientInformation: () => ({ client_id: 'c' }),
    tokens: () => tokens,
    saveTokens: (saved) => void (tokens = { ...tokens, ...saved }),
    redirectToAuthorization: () => {},
    saveCodeVerifier: () => {},
    codeVerifier: () => 'v',
  };
}
