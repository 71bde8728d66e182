import { atOnce } from '../runtime/guard.ts';
import { CallCounts, type Counted } from './call-counts.ts';
import type { Clock } from './clock.ts';
import type { Rate } from './rate-limit.ts';
import type { SharedLimits } from './shared-limits.ts';

/** What is counted: a message by its method, what it names, and who sent it. */
export interface LimitedCall {
  readonly method: string;
  /** The tool, prompt or resource that the message is for. */
  readonly name: string | undefined;
  /** The verified sender; `undefined` for one without a name. */
  readonly principal: string | undefined;
}

/** A rate for a method as a whole, with rates of their own for single names: what has one does not count with the rest. */
export interface NamedRates extends Rate {
  readonly names?: Readonly<Record<string, Rate | false>>;
}

/** How often one caller may do something. `false`: as often as it likes. A function decides by the call; what it decides is counted for each method and caller. */
export type Limit = NamedRates | false | ((call: LimitedCall) => Rate | false);

/** By method; `tasks/*` is every method that begins so and has no entry of its own, counted together. What has no entry is not limited. */
export type Limits = Readonly<Record<string, Limit>>;

/** Why something may not be done now. */
export interface Excess {
  readonly rate: Rate;
  /** After how many milliseconds it may be tried again. */
  readonly waitMs: number;
}

export interface LimiterSetup {
  readonly clock: Clock;
  /** Counts callers with a name together with other processes; `undefined` while they are counted here. */
  readonly shared?: () => SharedLimits | undefined;
}

/** What counts a call; `undefined` for one that is not limited. */
type Rule = (call: LimitedCall) => Counted | undefined;

/**
 * Counts what peers do, for both sides and every transport. A caller is a text, which means the same in every process, or an object, which
 * lives in this one. Without a shared store the answer is there at once.
 */
export class Limiter {
  /** `null` for what is not limited though its family is. */
  readonly #exact = new Map<string, Rule | null>();
  readonly #families: readonly { readonly prefix: string; readonly rule: Rule | undefined }[];
  readonly #setup: LimiterSetup;
  /** Set where others count with it. */
  counts: CallCounts = new CallCounts();
  /** The rule that was found last: most messages in a row are of one method. */
  #lastMethod: string | undefined;
  #lastRule: Rule | undefined;

  constructor(limits: Limits, setup: LimiterSetup) {
    this.#setup = setup;
    const families: { prefix: string; rule: Rule | undefined }[] = [];
    for (const [key, limit] of Object.entries(limits)) {
      const rule = limit === false ? undefined : compile(key, limit);
      if (key.endsWith('*')) families.push({ prefix: key.slice(0, -1), rule });
      else this.#exact.set(key, rule ?? null);
    }
    // The longest prefix knows best.
    this.#families = families.sort((a, b) => b.prefix.length - a.prefix.length);
  }

  /** Whether anything counts for a method: spares callers the work of saying who they are. */
  limits(method: string): boolean {
    return this.#ruleOf(method) !== undefined;
  }

  /** The rate of a method for a caller without a name, for those who thin a flow of their own. */
  rateOf(method: string): Rate | undefined {
    return this.#ruleOf(method)?.({ method, name: undefined, principal: undefined })?.rate;
  }

  /** Counts one more. `undefined`: it may be done. */
  take(call: LimitedCall, caller: string | object): Excess | undefined | Promise<Excess | undefined> {
    const counted = this.#ruleOf(call.method)?.(call);
    if (counted === undefined) return undefined;
    const shared = typeof caller === 'string' ? this.#setup.shared?.() : undefined;
    return shared === undefined ? this.#takeHere(counted, caller) : this.#takeShared(shared, counted, caller as string);
  }

  /** Like `take`, counted in this process alone. */
  takeLocally(call: LimitedCall, caller: string | object): Excess | undefined {
    const counted = this.#ruleOf(call.method)?.(call);
    return counted === undefined ? undefined : this.#takeHere(counted, caller);
  }

  #ruleOf(method: string): Rule | undefined {
    if (method !== this.#lastMethod) {
      this.#lastRule = this.#findRule(method);
      this.#lastMethod = method;
    }
    return this.#lastRule;
  }

  #findRule(method: string): Rule | undefined {
    const exact = this.#exact.get(method);
    if (exact !== undefined) return exact ?? undefined;
    for (const { prefix, rule } of this.#families) if (method.startsWith(prefix)) return rule;
    return undefined;
  }

  #takeHere(counted: Counted, caller: string | object): Excess | undefined {
    const limit = this.counts.of(caller).of(counted, this.#setup.clock);
    return limit.take() ? undefined : { rate: counted.rate, waitMs: limit.waitMs };
  }

  /** A store that cannot be reached does not stop the service, nor lift the limits: they are then kept by this process alone. */
  #takeShared(
    shared: SharedLimits,
    counted: Counted,
    caller: string,
  ): Excess | undefined | Promise<Excess | undefined> {
    const taken = shared.take(`${counted.key.length} ${counted.key} ${caller}`, counted.rate);
    if (typeof taken === 'number') return excessOf(counted, taken);
    return taken.then((waitMs) => (waitMs === undefined ? this.#takeHere(counted, caller) : excessOf(counted, waitMs)));
  }
}

function excessOf({ rate }: Counted, waitMs: number): Excess | undefined {
  return waitMs === 0 ? undefined : { rate, waitMs };
}

/** Servers that count together may have different rates: each has a count of its own. */
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

/** What can never be done is not limited but forbidden, and nobody could be told when to come again. */
function requireRate(key: string, { perSecond, burst = 1 }: Rate): void {
  if (perSecond > 0 && Number.isFinite(perSecond) && burst >= 1) return;
  throw new TypeError(`The limit of ${key} needs a perSecond above 0 and a burst of at least 1; false lifts it.`);
}

/** A function may give one caller another rate later: that begins a count of its own. */
function chosen(key: string, choose: (call: LimitedCall) => Rate | false): Rule {
  const known = new WeakMap<Rate, Counted>();
  let last: Counted | undefined;
  return (call) => {
    const rate = atOnce(choose(call), 'A limit');
    if (rate === false) return undefined;
    if (rate === last?.rate) return last;
    last = known.get(rate);
    if (last === undefined) {
      requireRate(key, rate);
      known.set(rate, (last = countedBy(key, rate)));
    }
    return last;
  };
}
