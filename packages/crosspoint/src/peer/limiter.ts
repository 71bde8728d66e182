import { atOnce } from '../runtime/guard.ts';
import { CallCounts, type Counted } from './call-counts.ts';
import type { Clock } from './clock.ts';
import type { Rate } from './rate-limit.ts';
import type { SharedLimits } from './shared-limits.ts';

/** A message as limits see it: its method, the name it is for, and its sender. */
export interface LimitedCall {
  readonly method: string;
  /** The tool, prompt or resource that the message is for. */
  readonly name: string | undefined;
  /** The verified sender; `undefined` for one without a name. */
  readonly principal: string | undefined;
}

/** A rate for a whole method. A name with a rate of its own is counted apart from the others. */
export interface NamedRates extends Rate {
  readonly names?: Readonly<Record<string, Rate | false>>;
}

/** The limit of one caller. `false` lifts it. A function chooses the rate by the call; its choices are counted for each method and caller. */
export type Limit = NamedRates | false | ((call: LimitedCall) => Rate | false);

/** Limits by method. `tasks/*` stands for all methods with that prefix that have no entry of their own; they are counted together. A method without an entry is not limited. */
export type Limits = Readonly<Record<string, Limit>>;

/** The reason a call is refused for now. */
export interface Excess {
  readonly rate: Rate;
  /** Milliseconds until the call may be tried again. */
  readonly waitMs: number;
}

export interface LimiterSetup {
  readonly clock: Clock;
  /** The counters shared with other processes, for callers with a name; `undefined` while this process counts alone. */
  readonly shared?: () => SharedLimits | undefined;
}

/** Finds the count that a call falls under; `undefined` for a call without a limit. */
type Rule = (call: LimitedCall) => Counted | undefined;

/**
 * Counts the calls of peers, for both sides and every transport. A caller is a string, which means the same in every process, or an object of this
 * process. Without a shared store the answer is synchronous.
 */
export class Limiter {
  /** Rules by exact method; `null` lifts the limit that the method's prefix would bring. */
  readonly #exact = new Map<string, Rule | null>();
  readonly #families: readonly { readonly prefix: string; readonly rule: Rule | undefined }[];
  readonly #setup: LimiterSetup;
  #method: string | undefined;
  #rule: Rule | undefined;
  /** The counts; replaced where several servers count together. */
  counts: CallCounts = new CallCounts();

  constructor(limits: Limits, setup: LimiterSetup) {
    this.#setup = setup;
    const families: { prefix: string; rule: Rule | undefined }[] = [];
    for (const [key, limit] of Object.entries(limits)) {
      const rule = limit === false ? undefined : compile(key, limit);
      if (key.endsWith('*')) families.push({ prefix: key.slice(0, -1), rule });
      else this.#exact.set(key, rule ?? null);
    }
    // Longest prefix first: the most specific one applies.
    this.#families = families.sort((a, b) => b.prefix.length - a.prefix.length);
  }

  /** Whether any limit applies to a method. Callers ask this first, to skip finding out who is calling. */
  limits(method: string): boolean {
    return this.#ruleOf(method) !== undefined;
  }

  /** The rate of a method for a caller without a name, for code that thins out its own messages. */
  rateOf(method: string): Rate | undefined {
    return this.#ruleOf(method)?.({ method, name: undefined, principal: undefined })?.rate;
  }

  /** Counts one call. `undefined` means that it is allowed. */
  take(call: LimitedCall, caller: string | object): Excess | undefined | Promise<Excess | undefined> {
    const counted = this.#ruleOf(call.method)?.(call);
    if (counted === undefined) return undefined;
    const shared = typeof caller === 'string' ? this.#setup.shared?.() : undefined;
    if (shared === undefined) return this.#takeHere(counted, caller);
    return shared.count(counted, caller as string, () => this.#takeHere(counted, caller));
  }

  /** Like `take`, counted in this process alone. */
  takeLocally(call: LimitedCall, caller: string | object): Excess | undefined {
    const counted = this.#ruleOf(call.method)?.(call);
    return counted === undefined ? undefined : this.#takeHere(counted, caller);
  }

  /** The last rule is kept: it is looked up twice, 30 ns, 2 % of a call in one process. */
  #ruleOf(method: string): Rule | undefined {
    if (method === this.#method) return this.#rule;
    const exact = this.#exact.get(method);
    const found = exact === undefined ? this.#families.find(({ prefix }) => method.startsWith(prefix))?.rule : exact;
    this.#method = method;
    return (this.#rule = found ?? undefined);
  }

  #takeHere(counted: Counted, caller: string | object): Excess | undefined {
    const limit = this.counts.of(caller).of(counted, this.#setup.clock);
    return limit.take() ? undefined : { rate: counted.rate, waitMs: limit.waitMs };
  }
}

/** The key holds the rate: servers that count together may have different rates, and each rate has a count of its own. */
function countedBy(key: string, rate: Rate): Counted {
  return { key: `${key} ${rate.perSecond}/${rate.burst ?? ''}`, rate };
}

function compile(key: string, limit: Exclude<Limit, false>): Rule {
  if (typeof limit === 'function') return chosen(key, limit);
  for (const rate of [limit, ...Object.values(limit.names ?? {})]) if (rate !== false) requireRate(key, rate);
  const whole = countedBy(key, limit);
  if (limit.names === undefined) return () => whole;
  const named = new Map(
    Object.entries(limit.names).map(([name, rate]) => [
      name,
      rate === false ? undefined : countedBy(`${key} ${name}`, rate),
    ]),
  );
  return ({ name }) => (name !== undefined && named.has(name) ? named.get(name) : whole);
}

/** Refuses a rate that never allows a call: there is no time at which a caller could be told to come back. */
function requireRate(key: string, { perSecond, burst = 1 }: Rate): void {
  if (perSecond > 0 && Number.isFinite(perSecond) && burst >= 1) return;
  throw new TypeError(`The limit of ${key} needs a perSecond above 0 and a burst of at least 1; false lifts it.`);
}

/** A rule from a function. Each rate that the function returns has a count of its own. */
function chosen(key: string, choose: (call: LimitedCall) => Rate | false): Rule {
  const known = new WeakMap<Rate, Counted>();
  return (call) => {
    const rate = atOnce(choose(call), 'A limit');
    if (rate === false) return undefined;
    let counted = known.get(rate);
    if (counted === undefined) {
      requireRate(key, rate);
      known.set(rate, (counted = countedBy(key, rate)));
    }
    return counted;
  };
}
