import type { ModelInfo, ModelRequest, ModelUsage } from '../model.ts';
import { NO_USAGE, priced } from '../usage.ts';

/**
 * How much one server may ask of models.
 * @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
 */
export interface SamplingLimits {
  /** Requests in the window; 60 when absent. */
  readonly requests?: number;
  /** Requests that one call of a tool may lead to; 20 when absent. */
  readonly perCall?: number;
  /** Tokens in the window, sent and answered; 200,000 when absent. */
  readonly tokens?: number;
  /** US dollars in the window; without limit when absent. A model whose prices are not known is then not asked. */
  readonly cost?: number;
  /** Tokens of one answer: a request that wants more gets this many; 16,384 when absent. */
  readonly maxTokens?: number;
  /** Milliseconds of the window; an hour when absent. */
  readonly windowMs?: number;
}

/**
 * The use that a server has made of models in its window.
 * @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
 */
export interface SamplingUse {
  readonly requests: number;
  readonly tokens: number;
  readonly cost: number;
}

/** One request of a server, and what it cost or may cost. */
export interface Spending {
  readonly at: number;
  tokens: number;
  cost: number;
}

const DEFAULTS = { requests: 60, perCall: 20, tokens: 200_000, maxTokens: 16_384, windowMs: 3_600_000 };
const MOST_CALLS = 1000;
const CHARACTERS_PER_TOKEN = 3;
const MEDIA_TOKENS = 1600;

/** The limits with their defaults. */
export function limitsOf(given: SamplingLimits = {}): typeof DEFAULTS & Pick<SamplingLimits, 'cost'> {
  return { ...DEFAULTS, ...given };
}

/** The use that one server makes of models, counted in a window that moves with the time. It holds no more entries than requests are allowed. */
export class SamplingBudget {
  readonly #now: () => number;
  readonly #calls = new Map<string, number>();
  #spent: Spending[] = [];
  #refusals = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  use(limits: SamplingLimits): SamplingUse {
    this.#forgetOld(limits);
    return {
      requests: this.#spent.length,
      tokens: this.#spent.reduce((sum, { tokens }) => sum + tokens, 0),
      cost: this.#spent.reduce((sum, { cost }) => sum + cost, 0),
    };
  }

  /** Counts a request, whether or not a person allows it later. Returns why it may not be made, where it may not. */
  begin(limits: SamplingLimits, call: string | undefined): string | undefined {
    const { requests, perCall, windowMs } = limitsOf(limits);
    if (this.use(limits).requests >= requests)
      return `It may ask ${requests} times in ${spanOf(windowMs)}${this.#nextAt(windowMs)}.`;
    const ofCall = call === undefined ? 0 : (this.#calls.get(call) ?? 0);
    if (ofCall >= perCall) return `One call of a tool may ask ${perCall} times.`;
    if (call !== undefined) this.#count(call, ofCall + 1);
    this.#spent.push({ at: this.#now(), tokens: 0, cost: 0 });
    return undefined;
  }

  /** Why a request with this usage at most would be too much; `undefined` when it would not. */
  excess(limits: SamplingLimits, most: ModelUsage): string | undefined {
    const { tokens, cost, windowMs } = limitsOf(limits);
    const used = this.use(limits);
    const more = most.inputTokens + most.outputTokens;
    if (used.tokens + more > tokens)
      return `It may use ${tokens} tokens in ${spanOf(windowMs)}; it has used ${used.tokens}, and this request may need ${more}${this.#nextAt(windowMs)}.`;
    if (cost === undefined) return undefined;
    if (most.cost === undefined) return 'Its money is limited, and the prices of the model are not known.';
    return used.cost + most.cost > cost
      ? `It may spend ${dollars(cost)} in ${spanOf(windowMs)}; it has spent ${dollars(used.cost)}, and this request may need ${dollars(most.cost)}.`
      : undefined;
  }

  /** Sets the usage aside until the request is over, so that requests at the same time cannot spend it twice. */
  reserve(most: ModelUsage): Spending {
    // The request was counted when it began. Those that nobody allowed have spent nothing, and stand in for each other.
    const spending = this.#spent.findLast(({ tokens }) => tokens === 0) ?? { at: this.#now(), tokens: 0, cost: 0 };
    if (!this.#spent.includes(spending)) this.#spent.push(spending);
    spending.tokens = most.inputTokens + most.outputTokens;
    spending.cost = most.cost ?? 0;
    return spending;
  }

  /** The number of refusals so far, with this one. */
  refused(): number {
    this.#refusals += 1;
    return this.#refusals;
  }

  #count(call: string, times: number): void {
    this.#calls.delete(call);
    this.#calls.set(call, times);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MOST_CALLS && oldest !== undefined) this.#calls.delete(oldest);
  }

  #forgetOld(limits: SamplingLimits): void {
    const since = this.#now() - limitsOf(limits).windowMs;
    this.#spent = this.#spent.filter(({ at }) => at > since);
  }

  #nextAt(windowMs: number): string {
    const [first] = this.#spent;
    return first === undefined ? '' : `; more in ${spanOf(first.at + windowMs - this.#now())}`;
  }
}

/** The most that a request can use: its text at three characters a token, 1,600 tokens for a picture or a sound, and its whole answer. */
export function mostOf(request: ModelRequest, info: ModelInfo): ModelUsage {
  let media = 0;
  const text = JSON.stringify([request.system, request.messages, request.tools], (key: string, value: unknown) => {
    if ((key !== 'data' && key !== 'blob') || typeof value !== 'string') return value;
    media += MEDIA_TOKENS;
    return '';
  });
  const inputTokens = Math.ceil(text.length / CHARACTERS_PER_TOKEN) + media;
  return priced({ ...NO_USAGE, inputTokens, outputTokens: request.maxTokens }, info);
}

function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`;
}

function spanOf(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds < 120) return `${seconds} seconds`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}
