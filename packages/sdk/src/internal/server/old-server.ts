import type { ServerCapabilities } from 'crosspoint';
import { Server } from 'crosspoint/server';
import { getLiteralValue, getObjectShape, type AnySchema } from '../../server/zod-compat.ts';

type SetRequestHandler = (this: Server, schemaOrMethod: AnySchema | string, handler: unknown) => void;
type LoggingMessage = Parameters<Server['sendLoggingMessage']>[0];
type Notification = Parameters<Server['notification']>[0];

/** A server that uses of undeclared features do not stop where v1 ignores them. */
export class OldServer extends Server {
  /** Handlers of subscriptions, set before resources were declared. */
  readonly #waiting: (() => void)[] = [];

  // Put in place like this, it keeps the type of the method that it replaces.
  static {
    const method = 'setRequestHandler';
    const set = Server.prototype[method] as SetRequestHandler;
    const value = function setOrWait(this: OldServer, ...given: Parameters<SetRequestHandler>): void {
      if (!isSubscription(given[0]) || this.getCapabilities().resources !== undefined) set.apply(this, given);
      else this.#waiting.push(() => set.apply(this, given));
    };
    Object.defineProperty(this.prototype, method, { value, writable: true, configurable: true });
  }

  /** The constructor of the base class calls it before this one has members. */
  override registerCapabilities(capabilities: ServerCapabilities): void {
    super.registerCapabilities(capabilities);
    if (#waiting in this && this.getCapabilities().resources !== undefined)
      for (const set of this.#waiting.splice(0)) set();
  }

  /** Progress outside of a request is reported as an error instead of thrown. */
  override async notification(notification: Notification): Promise<void> {
    const sent = super.notification(notification);
    if (notification.method !== 'notifications/progress') return sent;
    return sent.catch((error: unknown) => this.onerror?.(error as Error));
  }

  override async sendLoggingMessage(message: LoggingMessage, sessionId?: string): Promise<void> {
    if (this.getCapabilities().logging !== undefined) await super.sendLoggingMessage(message, sessionId);
  }

  override async sendResourceUpdated(updated: { uri: string }): Promise<void> {
    const { resources } = this.getCapabilities();
    if (resources === undefined || resources.subscribe === true) await super.sendResourceUpdated(updated);
  }
}

function isSubscription(schemaOrMethod: AnySchema | string): boolean {
  const method = typeof schemaOrMethod === 'string' ? schemaOrMethod : methodOf(schemaOrMethod);
  return method === 'resources/subscribe' || method === 'resources/unsubscribe';
}

function methodOf(schema: AnySchema): unknown {
  const member = getObjectShape(schema)?.['method'];
  return member && getLiteralValue(member);
}
