import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import { META_SERVER_INFO } from '../../protocol/meta.ts';
import { atOnce } from '../../runtime/guard.ts';
import type { Caller, ServerContext } from '../calls/context.ts';
import type { ServerMiddleware } from '../calls/middleware.ts';
import { putInGroup } from '../changes/groups.ts';

/** A server as it describes itself to one caller. */
interface Description {
  readonly info?: Implementation;
  readonly capabilities?: ServerCapabilities;
  readonly instructions?: string;
}

interface CallerRules {
  /**
   * Says what a caller is told of the server by `initialize` and `server/discover`. Members that it does not give are those of the server. Declare all that the
   * server can serve in its `capabilities`: a caller may be told less here, never more.
   */
  readonly describe?: (caller: Caller) => Description | Promise<Description>;
  /**
   * The group of a caller: a change that is told to one group, as with `server.sendToolListChanged({ group })`, reaches its members alone. Asked once for each
   * session and each listen stream. A caller without a group is told the changes that are for all.
   */
  readonly groupOf?: (caller: Caller) => string | undefined;
}

/**
 * A middleware for servers that stand for others, and look different to each caller.
 *
 * ```ts
 * server.use(byCaller({
 *   describe: async (caller) => ({ instructions: await instructionsFor(caller.principal) }),
 *   groupOf: ({ principal }) => principal,
 * }));
 * ```
 */
export function byCaller({ describe, groupOf }: CallerRules): ServerMiddleware {
  return async ({ method, params, context }, next) => {
    const isOpening = method === 'initialize' || method === 'subscriptions/listen';
    if (context === undefined || !(isOpening || method === 'server/discover')) return next();
    const caller = method === 'initialize' ? shakingHands(context, params) : context;
    const group = isOpening ? atOnce(groupOf?.(caller), 'groupOf') : undefined;
    if (typeof group === 'string') putInGroup(context, group);
    else if (group !== undefined)
      throw new TypeError('groupOf must return a text, or undefined for a caller in no group.');
    if (describe === undefined || method === 'subscriptions/listen') return next();
    // Before the handshake, so that a caller of whom nothing can be found out gets no session.
    const told = await describe(caller);
    if (!isJsonObject(told)) throw new TypeError('describe must return an object, which may be {}.');
    const outcome = await next();
    return outcome.kind === 'complete' ? { ...outcome, result: described(outcome.result, told, context) } : outcome;
  };
}

/** The caller as its handshake says. */
function shakingHands({ authInfo, principal, sessionId }: ServerContext, params: JsonObject): Caller {
  const { clientInfo, capabilities } = params;
  return {
    authInfo,
    principal,
    sessionId,
    client: isJsonObject(clientInfo) ? (clientInfo as object as Implementation) : undefined,
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    family: 'handshake',
  };
}

/** The answer to `initialize` or `server/discover`, with what this caller is told. */
function described(result: JsonObject, told: Description, { revision: spoken, call }: ServerContext): JsonObject {
  const { info, capabilities, instructions } = told;
  const revision = call.core.spoken.find(result['protocolVersion']) ?? spoken;
  const isHandshake = revision.family === 'handshake';
  const named = isHandshake ? 'serverInfo' : '_meta';
  const own = isJsonObject(result['capabilities']) ? result['capabilities'] : {};
  const handshakeExtensions = (isHandshake ? capabilities?.extensions : undefined) ?? own['handshakeExtensions'];
  return {
    ...result,
    ...(capabilities && {
      capabilities: {
        ...revision.writeServerCapabilities(capabilities),
        ...(handshakeExtensions !== undefined && { handshakeExtensions }),
      },
    }),
    ...(instructions !== undefined && { instructions }),
    ...(info && { [named]: named === '_meta' ? { [META_SERVER_INFO]: info } : revision.writeImplementation(info) }),
  };
}
