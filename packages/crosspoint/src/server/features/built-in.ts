import type { JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { LOG_LEVELS, isLoggingLevel } from '../../protocol/logging.ts';
import { namedVersions } from '../../revisions/faults.ts';
import type { Revision } from '../../revisions/revision.ts';
import { tokenLife } from '../../transports/auth-info.ts';
import type { Connection } from '../session/connection.ts';
import type { ServerContext } from '../calls/context.ts';
import type { ServerCore } from '../core.ts';
import type { HandledRequest, RequestHandler } from '../calls/handler.ts';
import { groupOf } from '../changes/groups.ts';
import { MAX_URIS, marked } from '../changes/listening.ts';
import { notFound } from './resources.ts';
import type { Granted } from '../server-extension.ts';
import { NO_SUBSCRIPTIONS, openSession, spokenHandshake, subscriptionBytes } from '../session/session.ts';
import { LONGEST_TIMER_MS } from '../../peer/clock.ts';

/** Most bytes of one session's facts and subscriptions. */
const MAX_HELD_BYTES = 1024 * 1024;

type BuiltIn = (
  connection: Connection,
  request: HandledRequest,
  ctx: ServerContext,
) => JsonObject | Promise<JsonObject>;

/** Handlers of the protocol itself, before any feature. */
const BUILT_IN: ReadonlyMap<string, BuiltIn> = new Map<string, BuiltIn>([
  ['initialize', initialize],
  ['ping', () => ({})],
  ['server/discover', ({ core }, _request, { revision }) => discover(core, revision)],
  ['subscriptions/listen', listen],
  ['logging/setLevel', setLevel],
]);

/** Whether a method is about the connection itself, and has no meaning without one. */
export function concernsConnection(method: string): boolean {
  return BUILT_IN.has(method) || method === 'resources/subscribe' || method === 'resources/unsubscribe';
}

/** The built-in handler of a method, unless the program has replaced one that may be replaced. */
export function builtInFor(connection: Connection, method: string): RequestHandler | undefined {
  const { core } = connection;
  if (method === 'resources/subscribe' || method === 'resources/unsubscribe') {
    return core.keepsSubscriptions()
      ? (request, ctx) => subscribe(connection, request, ctx)
      : recording(connection, core.handlerFor(method));
  }
  if ((method === 'logging/setLevel' || method === 'ping') && core.handlers.has(method)) return undefined;
  const builtIn = BUILT_IN.get(method);
  return builtIn && ((request, ctx) => builtIn(connection, request, ctx));
}

function initialize(
  connection: Connection,
  request: HandledRequest,
  ctx: ServerContext,
): JsonObject | Promise<JsonObject> {
  const { core } = connection;
  if (connection.session && !core.lenient)
    throw new ProtocolError('invalid-request', 'The connection is already initialized.');
  const { session, result } = openSession(core, request.params);
  const begin = (revision: Revision, answer: JsonObject): JsonObject => {
    connection.session = Object.assign(session, { revision, ...groupOf(ctx) });
    connection.transport.setProtocolVersion?.(revision.id);
    return answer;
  };
  const own = core.handlers.get('initialize')?.(request, ctx);
  if (own === undefined) return begin(session.revision, result);
  // The version that a handler of the program answers with decides, where it is spoken here.
  return Promise.resolve(own).then((answer) =>
    begin(spokenHandshake(core, String(answer['protocolVersion'])) ?? session.revision, answer),
  );
}

/** The answer to `server/discover`. */
export function discover(core: ServerCore, revision: Revision): JsonObject {
  return {
    supportedVersions: namedVersions(core.spoken),
    capabilities: revision.writeServerCapabilities(core.capabilities()),
    ...(core.instructions !== undefined && { instructions: core.instructions }),
    ...core.discoverHints,
  };
}

function listen(
  connection: Connection,
  { params }: HandledRequest,
  ctx: ServerContext,
): JsonObject | Promise<JsonObject> {
  const grants = connection.core.extensions?.grants(params, ctx);
  return grants === undefined
    ? openListen(connection, params, ctx)
    : grants.then((granted) => openListen(connection, params, ctx, granted));
}

function openListen(connection: Connection, params: JsonObject, ctx: ServerContext, granted: Granted = {}): JsonObject {
  const { requestId } = ctx;
  // The client may have disconnected while extensions were asked.
  if (ctx.aborted) return {};
  const honored = connection.listens.open(requestId, params, connection.core, ctx);
  Object.assign(honored, connection.listens.grant(requestId, granted));
  ctx.call.emit('notifications/subscriptions/acknowledged', marked({ notifications: honored }, requestId));
  // A stream without any granted filter ends at once with its result.
  if (Object.keys(honored).length === 0) connection.listens.close(requestId);
  else endWithToken(connection, ctx);
  connection.core.extensions?.opened(granted, (problem) => connection.core.onproblem(problem));
  return marked({}, requestId);
}

/** Ends a stream when the token it was opened with expires. */
function endWithToken(connection: Connection, { requestId, authInfo }: ServerContext): void {
  const life = tokenLife(authInfo);
  if (life > LONGEST_TIMER_MS) return;
  const { clock } = connection.core;
  const timer = clock.setTimeout(() => connection.endListen(requestId), life);
  clock.keepsRunning?.(timer, false);
  connection.listens.onclosed(requestId, () => clock.clearTimeout(timer));
}

function setLevel(connection: Connection, { params }: HandledRequest): JsonObject | Promise<JsonObject> {
  const { session } = connection;
  const { level } = params;
  if (!isLoggingLevel(level))
    throw new ProtocolError('invalid-params', `level must be one of ${LOG_LEVELS.join(', ')}.`);
  if (session) session.facts = { ...session.facts, logLevel: level };
  return kept(connection, {});
}

function subscribe(
  connection: Connection,
  request: HandledRequest,
  ctx: ServerContext,
): JsonObject | Promise<JsonObject> {
  const { uri } = request.params;
  if (typeof uri !== 'string') throw new ProtocolError('invalid-params', `${request.method} needs a uri.`);
  if (!connection.core.mayWatch(uri, ctx)) throw notFound(uri);
  record(connection, request);
  return kept(connection, {});
}

/** Returns the result once the change is stored for all nodes. */
function kept<T>({ keep }: Connection, result: T): T | Promise<T> {
  return keep === undefined ? result : keep().then(() => result);
}

/** Wraps the program's own subscription handler: accepted subscriptions are recorded, so that updates go only to clients that asked for them. */
function recording(connection: Connection, handler: RequestHandler | undefined): RequestHandler | undefined {
  return (
    handler &&
    (async (request, ctx) => {
      const result = await handler(request, ctx);
      record(connection, request);
      return kept(connection, result);
    })
  );
}

function record({ session }: Connection, { method, params }: HandledRequest): void {
  const { uri } = params;
  if (session === undefined || typeof uri !== 'string') return;
  if (session.subscriptions === NO_SUBSCRIPTIONS) session.subscriptions = new Set();
  const { subscriptions } = session;
  const bytes = subscriptionBytes(uri);
  if (method === 'resources/unsubscribe') {
    if (subscriptions.delete(uri)) session.heldBytes -= bytes;
    return;
  }
  if (subscriptions.has(uri)) return;
  if (subscriptions.size >= MAX_URIS || session.heldBytes + bytes > MAX_HELD_BYTES)
    throw new ProtocolError(
      'rate-limited',
      `No more than ${MAX_URIS} resource subscriptions in one session, of ${MAX_HELD_BYTES} bytes together.`,
    );
  subscriptions.add(uri);
  session.heldBytes += bytes;
}
