import type { HttpTarget } from 'crosspoint/client';
import type { Caller, ServerContext, ServerSource } from 'crosspoint/server';
import type { BridgeOptions } from '../bridge-options.ts';
import { Relaying } from '../relaying.ts';
import { upstreamAt } from '../upstream/http-upstream.ts';
import type { UpstreamSession } from '../upstream/upstream-session.ts';
import type { Slot } from '../upstream/upstream-sessions.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { Offers } from './offers.ts';
import { asError } from '../values/guarded.ts';

/** Options of a source that is the server of a client. */
export interface FromClientOptions extends Omit<BridgeOptions, 'server' | 'keys' | 'questions'> {
  /** The group of a caller that is told when its lists change, as `byCaller` of the server names it. Its principal when absent. */
  readonly groupOf?: (caller: Caller) => string | undefined;
}

type Change = Parameters<Parameters<NonNullable<ServerSource['watch']>>[0]>[0];

/** Longest wait for `connectFor`. */
const CONNECT_MS = 30_000;

/**
 * A source whose offers are those of another server, to be mounted: one client for each caller, which `connectFor` connects. Callers share a client where a bridge would let
 * them: by user, client and capabilities. Clients are closed when unused, and when the source is unmounted.
 *
 * ```ts
 * const github = fromClient((client, { principal }) =>
 *   client.connect({ url: 'https://mcp.example.com/mcp', authProvider: loginOf(principal) }),
 * );
 * await mount(server, 'github', github);
 * ```
 */
export function fromClient(
  connectFor: Upstream['connect'] | Upstream | string | URL | HttpTarget,
  options: FromClientOptions = {},
): ServerSource {
  const { groupOf = ({ principal }) => principal } = options;
  const onproblem = (problem: unknown): void => report(options.onproblem, problem);
  const { relay, reach, ...relaying } = parts(connectFor, { ...options, onproblem });
  const listeners = new Set<(change: Change) => void>();
  const known = new WeakMap<UpstreamSession, Offers>();
  const offersOf = (session: UpstreamSession, caller: Caller): Offers => {
    let offers = known.get(session);
    if (offers !== undefined) return offers;
    known.set(session, (offers = new Offers(session)));
    follow(offers, caller).catch(onproblem);
    return offers;
  };
  const follow = async (offers: Offers, caller: Caller): Promise<void> => {
    const group = groupOf(caller);
    if (group !== undefined && typeof group !== 'string')
      throw new TypeError('groupOf must return a text, or undefined for a caller in no group.');
    await offers.watch((change) => {
      for (const listener of listeners) listener({ ...change, ...(group !== undefined && { group }) });
    });
  };
  const using = async <T>(ctx: ServerContext, work: (slot: Slot) => Promise<T>): Promise<T> => {
    const slot = await reach.caller(ctx, { leaving: ctx });
    return work(slot).finally(() => slot.release());
  };
  const carry = (method: string, params: object, ctx: ServerContext): Promise<never> =>
    relay.handle({ method, params: { ...params, ...(ctx._meta && { _meta: ctx._meta }) } }, ctx) as Promise<never>;
  return {
    offersTo: (ctx) => using(ctx, ({ session }) => offersOf(session, ctx).get(onproblem)),
    callTool: (params, ctx) => carry('tools/call', params, ctx),
    getPrompt: (params, ctx) => carry('prompts/get', params, ctx),
    readResource: (params, ctx) => carry('resources/read', params, ctx),
    complete: (params, ctx) =>
      using(ctx, async ({ session: { client } }) =>
        client.getServerCapabilities()?.completions === undefined
          ? { completion: { values: [] } }
          : client.complete(params, { signal: ctx.signal }),
      ),
    watch: (onchange) => {
      listeners.add(onchange);
      return () => void listeners.delete(onchange);
    },
    close: () => relaying.close(),
  };
}

function parts(
  connectFor: Parameters<typeof fromClient>[0],
  options: FromClientOptions & { readonly onproblem: (problem: unknown) => void },
): Pick<Relaying, 'relay' | 'reach' | 'close'> {
  const upstream = upstreamAt(typeof connectFor === 'function' ? { connect: inTime(connectFor) } : connectFor);
  const relaying = new Relaying(upstream, options);
  return { relay: relaying.relay, reach: relaying.reach, close: () => relaying.close() };
}

/** Connects within the time for it; a client that is connected later is closed. */
function inTime(connect: Upstream['connect']): Upstream['connect'] {
  return (client, caller, signal) =>
    new Promise((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        reject(new Error(`no client was connected within ${CONNECT_MS} ms`));
      }, CONNECT_MS);
      const connecting = (async () => connect(client, caller, signal))().finally(() => clearTimeout(timer));
      connecting.then(() => (isLate ? client.close() : resolve())).catch(reject);
    });
}

/** Reports a problem to the program, whose own failure is dropped. */
function report(listener: FromClientOptions['onproblem'], problem: unknown): void {
  try {
    const told: unknown = listener?.(asError(problem));
    Promise.resolve(told).catch(() => {});
  } catch {
    // An error of the listener itself is dropped.
  }
}
