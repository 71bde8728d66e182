import { Client as NewClient, getSupportedElicitationModes, type ClientOptions } from 'crosspoint/client';
import type { Implementation } from 'crosspoint';
import type { Notification, Request, Result } from '../types.ts';
import { toOldError } from '../internal/client/old-errors.ts';

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

/** A list is read page by page, by whoever asks for it. */
function onePage([params, options]: unknown[]): unknown[] {
  return [params, { pages: 1, ...(options as object | undefined) }];
}

/**
 * The client of `crosspoint/client`, which fails in the classes of old: `McpError` for timeouts and connections that closed as well, and
 * `StreamableHTTPError` and `SseError` for HTTP. A result that breaks the output schema of its tool is such a failure, too. It opens with a
 * handshake, since programs of that time count on what comes with one; say `revisions: 'all'` to speak with newer servers in newer ways.
 * The parameters say what a program adds to the protocol; nothing depends on them.
 */
export class Client<
  _RequestT extends Request = Request,
  _NotificationT extends Notification = Notification,
  _ResultT extends Result = Result,
> extends NewClient {
  constructor(clientInfo: Implementation, options: ClientOptions = {}) {
    // A program that chooses its revisions may meet a family in which answers are asked for in rounds, by the client itself.
    const isChosen = options.revisions !== undefined || options.versionNegotiation !== undefined;
    const family = isChosen ? {} : ({ revisions: 'handshake', inputRequired: 'manual' } as const);
    super(clientInfo, { ...family, outputValidation: 'error', ...options });
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
