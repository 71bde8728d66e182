import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import { Limiter, type Excess, type Limits } from '../../peer/limiter.ts';
import type { Rate } from '../../peer/rate-limit.ts';
import { SharedLimits } from '../../peer/shared-limits.ts';
import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { IDEMPOTENCY_CAPABILITY } from '../../protocol/meta.ts';
import { LeftBehind } from '../../stores/left-behind.ts';
import type { Store } from '../../stores/store.ts';
import type { MessageExtraInfo } from '../../transports/transport.ts';
import type { Settlement } from '../asking/asker.ts';
import type { ServerContext } from '../calls/context.ts';
import { keyOf } from '../idempotency/call-key.ts';
import { ownerIn, principalIn } from './caller.ts';
import { KeyedCalls } from '../idempotency/keyed-calls.ts';
import type { ServerOptions } from '../server-options.ts';

/** A verified caller is one caller. */
const NAMED: Rate = { perSecond: 200, burst: 2000 };
/**
 * A caller without a name may be a proxy with thousands behind it, or the one program that has started this server, in whose process half a
 * million calls a second are possible: only what no honest program does is stopped.
 */
const NAMELESS: Rate = { perSecond: 1_000_000, burst: 1_000_000 };

/** What the specification wants limited is, unless the program says otherwise. Tools are as dear as their authors made them: only these know better. */
export const SERVER_LIMITS: Limits = {
  'tools/call': ({ principal }) => (principal === undefined ? NAMELESS : NAMED),
  // Asked for with every key a user presses.
  'completion/complete': { perSecond: 100, burst: 500 },
  'tasks/*': ({ principal }) => (principal === undefined ? NAMELESS : NAMED),
  // What is sent for one request; what is sent to one client.
  'notifications/progress': { perSecond: 20, burst: 50 },
  'notifications/message': { perSecond: 200, burst: 1000 },
  // What clients send.
  'notifications/*': { perSecond: 1000, burst: 5000 },
};

/** Decides whether a call may begin: by how often its caller has called, and by whether this very call was made before. */
export class Admission {
  readonly limiter: Limiter;
  /** What clients are told of it. */
  readonly announced: ServerCapabilities;
  readonly #keyed: KeyedCalls | undefined;
  /** The budget for everything that callers leave behind in this process, where there is no store. */
  readonly leftBehind: LeftBehind;
  #store: Store | undefined;

  constructor(
    { limits, idempotency, store, leftBehind }: Pick<ServerOptions, 'limits' | 'idempotency' | 'store' | 'leftBehind'>,
    clock: Clock,
    onproblem: (problem: Error) => void,
  ) {
    this.#store = store;
    this.leftBehind = new LeftBehind(leftBehind);
    const shared = (): SharedLimits | undefined => {
      const { store: at } = this;
      return at?.isShared === true
        ? this.limiter.counts.sharedIn(at, () => new SharedLimits(at, clock, onproblem))
        : undefined;
    };
    this.limiter = new Limiter({ ...SERVER_LIMITS, ...limits }, { clock, shared });
    if (idempotency !== false) {
      const own = { leftBehind: this.leftBehind, store: () => this.#store };
      this.#keyed = new KeyedCalls(idempotency ?? {}, { since: clock.now(), clock, ...own, onproblem });
    }
    this.announced = idempotency ? { experimental: { [IDEMPOTENCY_CAPABILITY]: {} } } : {};
  }

  /** Where to count and remember from now on; the first to say so decides. */
  useStore(store: Store): void {
    this.#store ??= store;
  }

  /** Where to keep what outlives a request, if anybody has said so. */
  get store(): Store | undefined {
    return this.#store;
  }

  /**
   * Throws, or rejects with, `rate-limited` when the caller has used up its share. `undefined` at once, or later: the call may begin.
   * A settlement is what the same call came to before.
   */
  admit(ctx: ServerContext): undefined | Promise<Settlement | undefined> {
    const excess = this.#count(ctx);
    const keyed = this.#keyed && keyOf(ctx);
    if (excess === undefined && keyed === undefined) return undefined;
    if (excess instanceof Promise)
      return excess.then((found) => {
        refuse(ctx.inbound.method, found);
        return keyed && this.#keyed?.claim(ctx, keyed);
      });
    refuse(ctx.inbound.method, excess);
    return keyed && this.#keyed?.claim(ctx, keyed);
  }

  /** Whether a notification of a client is passed on. Floods are dropped: nobody can be told. */
  hears(method: string, connection: object | undefined, extra: MessageExtraInfo | undefined): boolean {
    const from = ownerIn(extra) ?? connection;
    if (from === undefined) return true;
    const call = { method: asIncoming(method), name: undefined, principal: principalIn(extra) };
    return this.limiter.takeLocally(call, from) === undefined;
  }

  #count(ctx: ServerContext): Excess | undefined | Promise<Excess | undefined> {
    const { method, params } = ctx.inbound;
    if (!this.limiter.limits(method)) return undefined;
    const { principal, owner } = ctx;
    return this.limiter.take({ method, name: nameIn(params), principal }, owner);
  }
}

/** The entries of these two are for what the server sends; what comes in under their names counts with the rest. */
function asIncoming(method: string): string {
  return method === 'notifications/progress' || method === 'notifications/message' ? 'notifications/*' : method;
}

function refuse(method: string, excess: Excess | undefined): void {
  if (excess === undefined) return;
  const { rate, waitMs } = excess;
  const { perSecond, burst = perSecond } = rate;
  throw new ProtocolError(
    'rate-limited',
    `${method} is limited to ${perSecond} calls per second, ${Math.max(1, burst)} at once. Try again in ${waitMs} ms.`,
    { retryAfterMs: waitMs },
  );
}

/** The tool, prompt or resource that a request is for. */
function nameIn(params: JsonObject): string | undefined {
  const { name, uri, ref } = params;
  const found = name ?? uri ?? (isJsonObject(ref) ? (ref['name'] ?? ref['uri']) : undefined);
  return typeof found === 'string' ? found : undefined;
}
