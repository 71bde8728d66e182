import type { Transport } from '../transports/transport.ts';
import { TransportClient } from './client.ts';
import { isTransport, type ConnectOptions } from './connecting/connect-options.ts';
import { connectTo, type HttpTarget } from './connecting/connect-by-address.ts';

/** A client for one server at a time, of any revision. `connect` takes a transport or the address of a server. */
export class Client extends TransportClient {
  /**
   * Negotiates the family and the newest revision that both sides speak. Given an address, it also finds out which HTTP transport the
   * server has. A failed attempt rejects with the reason and closes the transport.
   */
  override async connect(target: Transport | HttpTarget | string | URL, options: ConnectOptions = {}): Promise<void> {
    if (isTransport(target)) return super.connect(target, options);
    return this.connectWith((opening, port) => connectTo(target, opening, port), options);
  }
}
