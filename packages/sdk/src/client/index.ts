import { Client as NewClient, getSupportedElicitationModes, type ClientOptions } from 'crosspoint/client';
import type { Implementation } from 'crosspoint';
import type { Notification, Request, Result } from '../types.ts';
import { toOldError } from '../internal/client/old-errors.ts';
import { bindMembers } from '../internal/shared/bound-members.ts';

export { getSupportedElicitationModes, type ClientOptions };

type Call = (this: NewClient, ...args: unknown[]) => Promise<unknown>;

const CALLS = [
  'callTool',
  'complete',
  'connect',
  'getPrompt',
  'listPrompts',
  'listResourceTemplates',
  'listResources',
  'listTools',
  'notification',
  'ping',
  'readResource',
  'request',
  'sendRootsListChanged',
  'setLoggingLevel',
  'subscribeResource',
  'unsubscribeResource',
] as const;

/** Adds `pages: 1`: in v1, a caller reads a list page by page. */
function onePage([params, options]: unknown[]): unknown[] {
  return [params, { pages: 1, ...(options as object | undefined) }];
}

/**
 * The client of `crosspoint/client` with the error classes of v1: `McpError`, also for timeouts and closed connections, and
 * `StreamableHTTPError` and `SseError` for HTTP. A result that does not match the output schema of its tool rejects as well. It connects
 * with a handshake, as v1 programs expect; pass `revisions: 'all'` to use newer revisions. The type parameters describe what a program adds
 * to the protocol; they have no effect.
 */
export class Client<
  _RequestT extends Request = Request,
  _NotificationT extends Notification = Notification,
  _ResultT extends Result = Result,
> extends NewClient {
  constructor(clientInfo: Implementation, options: ClientOptions = {}) {
    // A program that chooses its revisions may use the per-request family, in which the client has to answer questions itself.
    const isChosen = options.revisions !== undefined || options.versionNegotiation !== undefined;
    const family = isChosen ? {} : ({ revisions: 'handshake', inputRequired: 'manual' } as const);
    super(clientInfo, { ...family, outputValidation: 'error', ...options });
    bindMembers(this);
  }

  static {
    for (const name of CALLS) {
      const call = NewClient.prototype[name] as Call;
      const value: Call = async function failing(...args) {
        try {
          return await call.apply(this, name.startsWith('list') ? onePage(args) : args);
        } catch (error) {
          throw toOldError(error, name === 'connect' ? args[0] : this.transport);
        }
      };
      Object.defineProperty(this.prototype, name, { value, writable: true, configurable: true });
    }
  }
}
