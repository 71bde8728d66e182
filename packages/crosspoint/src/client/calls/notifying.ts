import type { JsonObject, RequestId } from '../../jsonrpc/message.ts';
import { hasCapability } from '../../protocol/capabilities.ts';
import { isSpecificationMethod } from '../../revisions/specification-methods.ts';
import type { Message } from '../answering/handlers.ts';
import type { Engine } from '../engine.ts';

/** Sends the notifications of a client, written by the revision in use. */
export class Notifying {
  readonly #engine: Engine;
  readonly #pending = new Set<string>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Sends a notification; does nothing where the revision in use has no such notification. */
  async notify({ method, params }: Message<object>, relatedRequestId: RequestId | undefined): Promise<void> {
    if (
      method === 'notifications/roots/list_changed' &&
      !hasCapability(this.#engine.facts.capabilities, 'roots.listChanged')
    ) {
      throw new TypeError(`${method} needs the client capability "roots.listChanged".`);
    }
    const connection = await this.#engine.link.connection();
    const send = (): void => {
      const written = isSpecificationMethod(method)
        ? connection.revision.writeNotification(method, (params ?? {}) as JsonObject)
        : (params as JsonObject | undefined);
      if (written === undefined && isSpecificationMethod(method)) return;
      connection.peer.notify(method, params === undefined ? undefined : written, relatedRequestId);
    };
    const mayMerge = params === undefined && relatedRequestId === undefined;
    if (!mayMerge || this.#engine.options.debouncedNotificationMethods?.includes(method) !== true) return send();
    if (this.#pending.has(method)) return;
    this.#pending.add(method);
    await Promise.resolve();
    this.#pending.delete(method);
    send();
  }
}
