import type { Clock } from '../../peer/clock.ts';
import { Limiter, type Limits } from '../../peer/limiter.ts';
import { ProtocolError } from '../../protocol/errors.ts';

/** Default limits for one server. Questions are limited most tightly: people answer some of them, and others use models that cost money. */
export const CLIENT_LIMITS: Limits = {
  'sampling/createMessage': { perSecond: 10, burst: 100 },
  'elicitation/create': { perSecond: 10, burst: 100 },
  'roots/list': { perSecond: 20, burst: 200 },
  'tasks/*': { perSecond: 100, burst: 500 },
  ping: { perSecond: 20, burst: 200 },
  'notifications/message': { perSecond: 1000, burst: 5000 },
  'notifications/progress': { perSecond: 1000, burst: 5000 },
  'notifications/*': { perSecond: 1000, burst: 5000 },
};

/** Interval between two reports of exceeded limits. */
const QUIET_MS = 10_000;

/** Limits how much a server may ask and notify. The counts belong to the client, so that reconnecting does not reset them. */
export class IncomingLimits {
  readonly #limiter: Limiter;
  readonly #clock: Clock;
  readonly #onproblem: (problem: Error) => void;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(limits: Limits | undefined, clock: Clock, onproblem: (problem: Error) => void) {
    this.#limiter = new Limiter({ ...CLIENT_LIMITS, ...limits }, { clock });
    this.#clock = clock;
    this.#onproblem = onproblem;
  }

  /** Throws `rate-limited` for a request above the limit of its method. */
  admit(method: string): void {
    const waitMs = this.#excess(method);
    if (waitMs === undefined) return;
    const error = new ProtocolError('rate-limited', `${method}: the server exceeds the rate limit of the client.`, {
      retryAfterMs: waitMs,
    });
    this.#tell(`The server sends ${method} too often: requests are refused.`);
    throw error;
  }

  /** Whether a notification is passed on; above the limit it is dropped. */
  hears(method: string): boolean {
    const isFine = this.#excess(method) === undefined;
    if (!isFine) this.#tell(`The server sends ${method} too often: some were dropped.`);
    return isFine;
  }

  #excess(method: string): number | undefined {
    return this.#limiter.takeLocally({ method, name: undefined, principal: undefined }, this)?.waitMs;
  }

  #tell(what: string): void {
    const now = this.#clock.now();
    if (now - this.#toldAt < QUIET_MS) return;
    this.#toldAt = now;
    this.#onproblem(new ProtocolError('rate-limited', what));
  }
}
