import type { Transport } from '../transports/transport.ts';
import { TransportClient } from './client.ts';
import { isTransport, type ConnectOptions } from './connecting/connect-options.ts';
import { connectTo, type HttpTarget } from './connecting/connect-by-address.ts';

/**
 * A client for one server at a time, of any revision. `connect` takes a transport or the address of a server.
 *
 * ```ts
 * const client = new Client({ name: 'my-client', version: '1.0.0' });
 * await client.connect('https://example.com/mcp');
 * console.log(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } }));
 * await client.close();
 * ```
 */
export class Client extends TransportClient {
  /**
   * Negotiates the family and the newest revision that both sides speak. Given an address, it also finds out which HTTP transport the
   * server has. A failed attempt rejects with the reason and closes the transport.
   *
   * ```ts
   * await client.connect('https://example.com/mcp');
   * await client.connect({ url: 'https://example.com/mcp', requestInit: { headers: { 'X-Tenant': 'a' } } }, { timeoutMs: 5000 });
   * await client.connect(new StdioClientTransport({ command: 'node', args: ['server.mjs'] }));
   * ```
   */
  override async connect(target: Transport | HttpTarget | string | URL, options: ConnectOptions = {}): Promise<void> {
    if (isTransport(target)) return super.connect(target, options);
    return this.connectWith((opening, port) => connectTo(target, opening, port), options);
  }
}
