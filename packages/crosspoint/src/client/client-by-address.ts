import type { Transport } from '../transports/transport.ts';
import { TransportClient } from './client.ts';
import { isTransport, type ConnectOptions } from './connecting/connect-options.ts';
import { connectTo, type HttpTarget } from './connecting/connecting.ts';

/** Talks to one server at a time, whatever revision it speaks. */
export class Client extends TransportClient {
  /**
   * Finds the family and the newest revision that both sides speak. A failure says why and leaves the transport closed. With an address,
   * the transport is found as well.
   */
  override async connect(target: Transport | HttpTarget | string | URL, options: ConnectOptions = {}): Promise<void> {
    if (isTransport(target)) return super.connect(target, options);
    return this.approach((opening, port) => connectTo(target, opening, port), options);
  }
}
