import type { JsonObject } from '../../jsonrpc/message.ts';
import type { LoggingMessage } from '../../protocol/logging.ts';
import { isAskMethod } from '../../protocol/outcome.ts';
import { prepareAsk } from '../asking/questions.ts';
import { toOutgoingOptions, type CallOptions } from '../calls/call-options.ts';
import type { ServerContext } from '../calls/context.ts';
import { askableSession } from './askable-session.ts';
import { Connection } from './connection.ts';

interface Message {
  readonly method: string;
  readonly params?: JsonObject;
}

/** The session of a client, beyond any of its requests. */
interface ClientSession {
  /** Id of the session; `undefined` where the connection is the session, as over stdio. */
  readonly id: string | undefined;
  /** Sends a request to the client: over HTTP on its standing stream. Questions need the client's capability. */
  request(message: Message, options?: CallOptions): Promise<JsonObject>;
  /** Sends a notification to the client; log messages only from the level that it has set. */
  notify(message: Message): void;
  /** Resolves when the session has ended here. */
  readonly closed: Promise<void>;
}

const sessions = new WeakMap<Connection, ClientSession>();

/**
 * The session of the client whose request this is, for what is asked or told later, outside of any request. `undefined` for clients without a session, which
 * cannot be sent anything then. The same object for all requests of a session.
 *
 * ```ts
 * const session = sessionOf(ctx);
 * session?.notify({ method: 'acme/news', params: { title: 'Done' } });
 * await session?.request({ method: 'roots/list' });
 * ```
 */
export function sessionOf(ctx: ServerContext): ClientSession | undefined {
  const { edge } = ctx.call;
  if (ctx.family !== 'handshake' || !(edge instanceof Connection)) return undefined;
  let session = sessions.get(edge);
  if (session === undefined) sessions.set(edge, (session = open(edge)));
  return session;
}

function open(connection: Connection): ClientSession {
  return {
    get id() {
      return connection.sessionId;
    },
    request: async ({ method, params }, options) => {
      const outgoing = toOutgoingOptions(options);
      if (!isAskMethod(method)) return connection.request(undefined, method, params, outgoing);
      const ask = prepareAsk(askableSession(connection), { method, params: params ?? {} }, options?.relayed);
      return connection.askSession(ask, outgoing);
    },
    notify: ({ method, params = {} }) => {
      if (method === 'notifications/message') connection.logToSession(params as object as LoggingMessage);
      else connection.notifySession(method, params);
    },
    closed: new Promise((resolve) => (connection.onended = resolve)),
  };
}
