import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createMcpHandler, type McpHandlerOptions, type McpServer, type Server } from '../../../src/server/index.ts';

/** One request as the server saw it. */
export interface Seen {
  method: string;
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** The decoded body, where there was one. */
  json: { id?: number | string; method?: string; params?: Record<string, unknown> } | undefined;
}

export type Handler = (seen: Seen, response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

export interface Listening {
  url: URL;
  seen: Seen[];
  methods(): (string | undefined)[];
  /** Cuts every connection. */
  cut(): void;
  close(): Promise<void>;
}

const opened = new Set<Listening>();

/** A server on a free port of this machine, which writes down what it is sent. */
export async function listen(handler: Handler, options: { port?: number; path?: string } = {}): Promise<Listening> {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  const server: HttpServer = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const entry: Seen = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body,
        json: undefined,
      };
      if (body !== '') entry.json = JSON.parse(body) as Seen['json'];
      seen.push(entry);
      await handler(entry, response, request);
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const listening: Listening = {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${options.path ?? '/mcp'}`),
    seen,
    methods: () => seen.map(({ method, json }) => (method === 'POST' ? json?.method : method)),
    cut,
    async close() {
      opened.delete(listening);
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  opened.add(listening);
  return listening;
}

/** For `afterEach`. */
export async function closeAll(): Promise<void> {
  await Promise.all([...opened].map((listening) => listening.close()));
}

/** Our own server behind a real socket. */
export async function serve(
  server: McpServer | Server,
  options: McpHandlerOptions = {},
  where: { port?: number; path?: string } = {},
): Promise<Listening> {
  const handler = createMcpHandler(server, options);
  const listening = await listen(
    (seen, response, request) => handler.node(request as never, response, seen.json),
    where,
  );
  return {
    ...listening,
    async close() {
      await handler.close({ grace: 0 });
      await listening.close();
    },
  };
}

/** A handler of the web's own kind behind a real socket. */
export function listenWeb(fetch: (request: Request) => Promise<Response>): Promise<Listening> {
  return listen(async (seen, response) => {
    const headers = new Headers();
    for (const [name, value] of Object.entries(seen.headers)) if (typeof value === 'string') headers.set(name, value);
    const controller = new AbortController();
    response.on('close', () => controller.abort());
    const answer = await fetch(
      new Request(new URL(seen.url, 'http://127.0.0.1'), {
        method: seen.method,
        headers,
        signal: controller.signal,
        ...(seen.body !== '' && { body: seen.body }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
}

export function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

export function text(response: ServerResponse, status: number, body: string, type = 'text/plain'): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}

export function stream(
  response: ServerResponse,
  headers: Record<string, string> = {},
): { event(data: unknown, id?: string): void; raw(text: string): void; end(): void } {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  return {
    event: (data, id) =>
      void response.write(
        `${id === undefined ? '' : `id: ${id}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
      ),
    raw: (value) => void response.write(value),
    end: () => void response.end(),
  };
}

export { until } from '../../until.ts';
