import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import { Limiter, type Excess, type Limits } from '../../peer/limiter.ts';
import type { Rate } from '../../peer/rate-limit.ts';
import type { SharedLimits } from '../../peer/shared-limits.ts';
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
import { servingOf } from '../stored/serving.ts';

/** The default for a verified caller. */
const NAMED: Rate = { perSecond: 200, burst: 2000 };
/**
 * The default for a caller without a name. It may be a proxy with thousands of users behind it, or the one program that has started this server, in whose
 * process more than a million calls a second are possible: only runaway programs are stopped.
 */
const NAMELESS: Rate = { perSecond: 4_000_000, burst: 4_000_000 };

/**
 * Default rates for the methods that the specification asks servers to limit; options override them. They only stop abuse: only the author knows what a tool
 * call costs.
 */
export const SERVER_LIMITS: Limits = {
  'tools/call': ({ principal }) => (principal === undefined ? NAMELESS : NAMED),
  // Clients may send one with every key a user presses.
  'completion/complete': { perSecond: 100, burst: 500 },
  'tasks/*': ({ principal }) => (principal === undefined ? NAMELESS : NAMED),
  // Outgoing: progress for one request, and log messages to one client.
  'notifications/progress': { perSecond: 20, burst: 50 },
  'notifications/message': { perSecond: 200, burst: 1000 },
  // Incoming notifications of clients.
  'notifications/*': { perSecond: 1000, burst: 5000 },
};

/** Decides whether a call may begin: by its caller's rate, and by its idempotency key. */
export class Admission {
  readonly limiter: Limiter;
  /** The capability that announces idempotency keys to clients. */
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
    if (store) this.useStore(store);
    this.leftBehind = new LeftBehind(leftBehind);
    const shared = (): SharedLimits | undefined => {
      const { store: at } = this;
      return at?.isShared === true ? servingOf(at).limits(this.limiter.counts, at, clock, onproblem) : undefined;
    };
    this.limiter = new Limiter({ ...SERVER_LIMITS, ...limits }, { clock, shared });
    if (idempotency !== false) {
      const own = { leftBehind: this.leftBehind, store: () => this.#store };
      this.#keyed = new KeyedCalls(idempotency ?? {}, { since: clock.now(), clock, ...own, onproblem });
    }
    this.announced = idempotency ? { experimental: { [IDEMPOTENCY_CAPABILITY]: {} } } : {};
  }

  /** Sets the store for counts and records; only the first call counts. */
  useStore(store: Store): void {
    servingOf(store);
    this.#store ??= store;
  }

  /** The store for state that outlives a request; `undefined` while none is set. */
  get store(): Store | undefined {
    return this.#store;
  }

  /**
   * Admits a call. `undefined`, at once or later: the call may begin. A settlement is the recorded outcome of the same call. Throws, or rejects with,
   * `rate-limited` when the caller has used up its rate.
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

  /** Whether a client's notification is passed on. Those beyond the rate are dropped, since a notification cannot be answered. */
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

/** The limits of these two methods are for the server's own messages; incoming ones of that name count with all other notifications. */
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
