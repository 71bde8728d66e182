import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { until } from '../until.ts';
import {
  McpServer,
  createMcpHandler,
  type McpHandler,
  type McpHandlerOptions,
  type McpServerOptions,
} from '../../src/server/index.ts';
import { fromJsonSchema } from '../../src/schema/index.ts';

export const NEWEST = '2026-07-28';
export const HANDSHAKE = '2025-11-25';
export const BOTH = 'application/json, text/event-stream';

export interface Served {
  readonly port: number;
  readonly server: McpServer;
  readonly handler: McpHandler;
  readonly http: HttpServer;
  readonly problems: Error[];
  close(): Promise<void>;
}

/** A server with a tool for every behaviour that matters over HTTP. */
export function makeServer(options: McpServerOptions = {}): McpServer {
  const server = new McpServer(
    { name: 'served', version: '1.0.0' },
    { capabilities: { logging: {}, resources: { subscribe: true, listChanged: true } }, ...options },
  );
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, async ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  server.registerTool(
    'later',
    { inputSchema: z.object({ text: z.string(), ms: z.number().optional() }) },
    async ({ text, ms }) => {
      await new Promise((resolve) => setTimeout(resolve, ms ?? 5));
      return { content: [{ type: 'text', text }] };
    },
  );
  server.registerTool('count', { inputSchema: z.object({ to: z.number() }) }, async ({ to }, ctx) => {
    for (let step = 1; step <= to; step += 1) {
      ctx.progress(step, to);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return { content: [{ type: 'text', text: `counted ${to}` }] };
  });
  server.registerTool('ask', {}, async (ctx) => {
    const answer = await ctx.elicit({
      message: 'Go on?',
      requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } },
    });
    return { content: [{ type: 'text', text: answer.action }] };
  });
  server.registerTool('tell', {}, async (ctx) => {
    ctx.log('debug', 'told');
    return { content: [{ type: 'text', text: 'told' }] };
  });
  server.registerTool(
    'region',
    {
      inputSchema: fromJsonSchema({
        type: 'object',
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region' },
          size: { type: 'integer', 'x-mcp-header': 'Size' },
        },
      }),
    },
    async (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
  );
  server.registerResource('note', 'note://one', {}, async (uri) => ({ contents: [{ uri: uri.href, text: 'one' }] }));
  return server;
}

export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ http: HttpServer; port: number }> {
  const http = createServer(handle);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return { http, port: (http.address() as AddressInfo).port };
}

const served: Served[] = [];

/** Serves on 127.0.0.1, until `closeAll`. */
export async function serve(
  options: McpHandlerOptions = {},
  serverOptions: McpServerOptions = {},
  given: McpServer = makeServer(serverOptions),
): Promise<Served> {
  const problems: Error[] = [];
  given.server.onerror = (error) => problems.push(error);
  const handler = createMcpHandler(given, options);
  const { http, port } = await listen((request, response) => void handler.node(request, response));
  const one: Served = {
    port,
    server: given,
    handler,
    http,
    problems,
    async close() {
      await handler.close({ grace: 0 });
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  served.push(one);
  return one;
}

export async function closeAll(): Promise<void> {
  for (const one of served.splice(0)) await one.close();
}

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** The address that the request comes from: any of 127.0.0.0/8. */
  readonly from?: string;
}

export interface Message {
  id?: unknown;
  method?: string;
  params?: { progress?: number; progressToken?: unknown };
  result?: { content?: { text: string }[] };
  error?: { code: number; message: string };
}

export interface SseFrame {
  readonly event?: string;
  readonly id?: string;
  readonly retry?: string;
  readonly data: string | undefined;
}

/** An answer that may still be arriving. */
export class Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly #message: IncomingMessage;
  readonly frames: SseFrame[] = [];
  readonly comments: string[] = [];
  text = '';
  ended = false;
  /** For those who are many: each look at `ended` costs the others time. */
  readonly over: Promise<void>;
  #rest = '';

  constructor(message: IncomingMessage) {
    this.#message = message;
    this.status = message.statusCode ?? 0;
    this.headers = message.headers;
    message.setEncoding('utf8');
    message.on('data', (chunk: string) => this.#take(chunk));
    message.on('end', () => (this.ended = true));
    message.on('close', () => (this.ended = true));
    message.on('error', () => (this.ended = true));
    this.over = new Promise((resolve) => {
      for (const event of ['end', 'close', 'error']) message.on(event, () => resolve());
    });
  }

  /** The JSON body, once it is whole. */
  async json(): Promise<
    Record<string, never> & { id?: unknown; result?: never; error?: { code: number; message: string; data?: never } }
  > {
    await until(() => this.ended);
    return JSON.parse(this.text) as never;
  }

  /** The messages of the events so far. */
  get messages(): Message[] {
    return this.frames
      .filter((frame) => frame.event !== 'endpoint' && frame.data !== undefined && frame.data !== '')
      .map((frame) => JSON.parse(frame.data ?? '') as never);
  }

  async finish(): Promise<this> {
    await until(() => this.ended);
    return this;
  }

  abort(): void {
    this.#message.destroy();
  }

  #take(chunk: string): void {
    this.text += chunk;
    this.#rest += chunk;
    for (let end = this.#rest.indexOf('\n\n'); end !== -1; end = this.#rest.indexOf('\n\n')) {
      const lines = this.#rest.slice(0, end).split('\n');
      this.#rest = this.#rest.slice(end + 2);
      const field = (name: string): string | undefined =>
        lines
          .find((line) => line.startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .trimStart();
      if (lines.every((line) => line.startsWith(':'))) this.comments.push(lines.join('\n'));
      else
        this.frames.push({
          data: field('data'),
          ...(field('id') && { id: field('id') ?? '' }),
          ...(field('event') && { event: field('event') ?? '' }),
          ...(field('retry') && { retry: field('retry') ?? '' }),
        });
    }
  }
}

/** One HTTP request, with exactly these headers beside Host. */
export function send(
  { port }: { port: number },
  { method = 'POST', path = '/mcp', headers = {}, body, from }: Sent,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const all = {
      ...(method === 'POST' && { 'content-type': 'application/json', accept: BOTH }),
      ...(method === 'GET' && { accept: 'text/event-stream' }),
      ...headers,
    };
    const where = { host: '127.0.0.1', port, method, path, agent: false, ...(from && { localAddress: from }) };
    const request = httpRequest({ ...where, headers: all }, (message) => resolve(new Answer(message)));
    request.on('error', reject);
    request.end(text);
  });
}

export const META = (capabilities: object = {}, more: object = {}): object => ({
  'io.modelcontextprotocol/protocolVersion': NEWEST,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  ...more,
});

/** A stateless request, with the headers that belong to it. */
export function stateless(
  method: string,
  params: Record<string, unknown> = {},
  { id = 1 as string | number, headers = {} as Record<string, string>, meta = {} as object } = {},
): Sent {
  const name = params['name'] ?? params['uri'];
  return {
    headers: {
      'mcp-protocol-version': NEWEST,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...META(), ...meta } } },
  };
}

export const initialize = (version: string = HANDSHAKE, capabilities: object = {}): object => ({
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: version, capabilities, clientInfo: { name: 'raw', version: '1' } },
});

export interface RawSession {
  readonly id: string;
  readonly headers: Record<string, string>;
  post(body: unknown, headers?: Record<string, string>): Promise<Answer>;
  call(id: number | string, name: string, args?: object, meta?: object): Promise<Answer>;
  get(headers?: Record<string, string>): Promise<Answer>;
}

/** Makes the handshake and gives what follows it the right headers. */
export async function openSession(
  at: { port: number },
  version: string = HANDSHAKE,
  capabilities: object = {},
  extra: Record<string, string> = {},
): Promise<RawSession> {
  const opened = await (await send(at, { body: initialize(version, capabilities), headers: extra })).finish();
  const id = opened.headers['mcp-session-id'] as string;
  const headers = { ...extra, 'mcp-session-id': id, 'mcp-protocol-version': version };
  const session: RawSession = {
    id,
    headers,
    post: (body, more = {}) => send(at, { body, headers: { ...headers, ...more } }),
    call: (callId, name, args = {}, meta) =>
      session.post({
        jsonrpc: '2.0',
        id: callId,
        method: 'tools/call',
        params: { name, arguments: args, ...(meta && { _meta: meta }) },
      }),
    get: (more = {}) => send(at, { method: 'GET', headers: { ...headers, ...more } }),
  };
  const told = await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  if (told.status !== 202) throw new Error(`initialized was answered with ${told.status}`);
  return session;
}

export { until };
