import type { Transport } from '../transport.ts';
import { StdioServerTransport, type StdioServerOptions } from './server.ts';

/** A server that can be connected, of either level. */
export interface Connectable {
  connect(transport: Transport): Promise<void>;
}

/**
 * Serves the client that started this process. The process exits when stdin closes. Print to stderr only: stdout belongs to the protocol.
 *
 * ```ts
 * await serveStdio(server);
 * ```
 */
export async function serveStdio(
  server: Connectable | (() => Connectable | Promise<Connectable>),
  options: StdioServerOptions = {},
): Promise<StdioServerTransport> {
  const transport = new StdioServerTransport(process.stdin, process.stdout, options);
  await (typeof server === 'function' ? await server() : server).connect(transport);
  return transport;
}
