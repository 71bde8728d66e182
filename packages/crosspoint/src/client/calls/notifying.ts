import type { JsonObject, RequestId } from '../../jsonrpc/message.ts';
import { hasCapability, type ClientCapabilities } from '../../protocol/capabilities.ts';
import { isSpecificationMethod } from '../../revisions/specification-methods.ts';
import type { Connection } from '../connecting/connection.ts';
import type { Message } from '../answering/handlers.ts';

export interface NotifyingPort {
  capabilities(): ClientCapabilities;
  connection(): Connection | Promise<Connection>;
  /** Notifications without params that are sent once when several are sent in the same turn. */
  readonly debounced: readonly string[];
}

/** Sends the notifications of a client, written by the revision in use. */
export class Notifying {
  readonly #port: NotifyingPort;
  readonly #pending = new Set<string>();

  constructor(port: NotifyingPort) {
    this.#port = port;
  }

  /** Sends a notification; does nothing where the revision in use has no such notification. */
  async notify({ method, params }: Message<object>, relatedRequestId: RequestId | undefined): Promise<void> {
    if (
      method === 'notifications/roots/list_changed' &&
      !hasCapability(this.#port.capabilities(), 'roots.listChanged')
    ) {
      throw new TypeError(`${method} needs the client capability "roots.listChanged".`);
    }
    const connection = await this.#port.connection();
    const send = (): void => {
      const written = isSpecificationMethod(method)
        ? connection.revision.writeNotification(method, (params ?? {}) as JsonObject)
        : (params as JsonObject | undefined);
      if (written === undefined && isSpecificationMethod(method)) return;
      connection.peer.notify(method, params === undefined ? undefined : written, relatedRequestId);
    };
    if (params !== undefined || relatedRequestId !== undefined || !this.#port.debounced.includes(method)) return send();
    if (this.#pending.has(method)) return;
    this.#pending.add(method);
    await Promise.resolve();
    this.#pending.delete(method);
    send();
  }
}
