import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net';
import { Client, type ClientOptions } from 'crosspoint/client';
import { createMcpHandler, type McpHandlerOptions, type McpServer, type Server } from 'crosspoint/server';
import type { Transport } from 'crosspoint/client';
import { StdioServerTransport } from 'crosspoint/server/stdio';

export const CARRIERS = ['stdio', 'http'] as const;
/** `sse`: HTTP+SSE, which only the handshake family has. */
export type CarrierName = (typeof CARRIERS)[number] | 'sse';
export const FAMILIES = ['handshake', 'per-request'] as const;
export type FamilyName = (typeof FAMILIES)[number];

const closers: (() => unknown)[] = [];

/** Calls a function when the test ends, before everything that was opened earlier is closed. */
export function atEnd(close: () => unknown): void {
  closers.push(close);
}

/** Ends everything that the tests have opened, the last first. */
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close();
}

/** Serves over a real socket, until `closeAll`. The result is where to connect to. */
export async function serveOver(
  carrier: CarrierName,
  server: McpServer | Server,
  options: McpHandlerOptions = {},
): Promise<string | number> {
  if (carrier === 'stdio') return serveLines(server);
  const url = await serveHttp(server, options);
  return carrier === 'sse' ? url.replace(/mcp$/, 'sse') : url;
}

/** A target at an address of `serveOver`. */
export function targetAt(url: string): { url: string; transport: 'sse' } | string {
  return url.endsWith('/sse') ? { url, transport: 'sse' } : url;
}

/** Over HTTP: the address. */
export async function serveHttp(server: McpServer | Server, options: McpHandlerOptions = {}): Promise<string> {
  const handler = createMcpHandler(server, { path: '/mcp', ...options });
  const http = createHttpServer({ keepAliveTimeout: 0 }, (request, response) => void handler.node(request, response));
  await listening(http);
  closers.push(async () => {
    await handler.close({ grace: 0 });
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return `http://127.0.0.1:${portOf(http)}/mcp`;
}

/** The lines of stdio over a socket, which any number of clients may open: the port. */
async function serveLines(server: McpServer | Server): Promise<number> {
  const sockets = new Set<Socket>();
  const net = createServer((socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    void server.connect(new StdioServerTransport(socket, socket));
  });
  await listening(net);
  closers.push(async () => {
    const closed = new Promise((resolve) => net.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return portOf(net);
}

/** A transport of a client to a port that speaks lines. */
export async function lines(port: number): Promise<Transport> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  closers.push(() => socket.destroy());
  const transport = new StdioServerTransport(socket, socket);
  const close = transport.close.bind(transport);
  // A child would be ended.
  transport.close = async () => {
    await close();
    socket.end();
  };
  return transport;
}

/** A client that is connected to what `serveOver` gave. */
export async function connected(
  where: string | number,
  options: ClientOptions = {},
  prepare: (client: Client) => void = () => {},
): Promise<Client> {
  const client = new Client({ name: 'relay', version: '1.0.0' }, options);
  prepare(client);
  await client.connect(typeof where === 'string' ? targetAt(where) : ((await lines(where)) as never));
  closers.push(() => client.close());
  return client;
}

async function listening(server: NetServer): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

function portOf(server: NetServer): number {
  return (server.address() as AddressInfo).port;
}
