import type { JsonObject } from '../../jsonrpc/message.ts';
import { pause, type Clock } from '../../peer/clock.ts';
import { TransportError, isProtocolError } from '../../protocol/errors.ts';
import type { Ask, Outcome, Retry } from '../../protocol/outcome.ts';
import { untilAborted } from './abort.ts';
import type { InputMode } from './request-options.ts';

type InputRequired = Extract<Outcome, { kind: 'input-required' }>;

/** The server needs answers before it can finish. Call again with the same params and `retry: { state, answers }`. */
export class InputRequiredError extends Error {
  override readonly name: string = 'InputRequiredError';
  readonly method: string;
  readonly asks: Readonly<Record<string, Ask>>;
  /** Opaque; pass it back unchanged, and only when it was given. */
  readonly state: string | undefined;

  constructor(method: string, outcome: InputRequired) {
    const questions = Object.values(outcome.asks).map((ask) => ask.method);
    super(`${method}: the server asks for input first${questions.length === 0 ? '' : ` (${questions.join(', ')})`}.`);
    this.method = method;
    this.asks = outcome.asks;
    this.state = outcome.state;
  }
}

export interface RoundsPort {
  readonly clock: Clock;
  /** Sends one request, with an id of its own. */
  send(retry: Retry | undefined): Promise<Outcome>;
  answer(ask: Ask): Promise<JsonObject>;
  /** Opens the pages that the error names; true when the call may be made again. */
  openPages(error: unknown): Promise<boolean>;
}

export interface RoundsPolicy {
  readonly method: string;
  readonly mode: InputMode;
  readonly maxRounds: number;
  readonly signal: AbortSignal | undefined;
  readonly retry: Retry | undefined;
}

/** The result of a call, or the task that will have it. `asked`: the result depends on answers, so it must not be cached. */
export type Ended =
  | { readonly kind: 'complete'; readonly result: JsonObject; readonly asked: boolean }
  | { readonly kind: 'task'; readonly task: JsonObject; readonly asked: boolean };

/** Repeats a call until the server has finished. All questions of a round are answered before the next request. */
export async function runRounds(port: RoundsPort, policy: RoundsPolicy): Promise<Ended> {
  const { method, mode, maxRounds, signal } = policy;
  let retry = policy.retry;
  let empty = 0;
  for (let round = 0; ; round += 1) {
    const outcome = await sendOnce(port, policy, { retry, mayTryAgain: round < maxRounds });
    if (outcome === undefined) continue;
    if (outcome.kind !== 'input-required') return { ...outcome, asked: retry !== undefined };
    if (mode === 'manual') throw new InputRequiredError(method, outcome);
    if (round >= maxRounds)
      throw new TransportError(
        'invalid-result',
        `The server still asks for input after ${maxRounds} rounds of ${method}.`,
        { method, maxRounds },
      );
    const questions = Object.entries(outcome.asks);
    if (questions.length === 0) {
      // A server that asks nothing but wants another round is called with growing delays, not in a tight loop.
      if (empty > 0) await pause(Math.min(5000, 100 * 2 ** empty), port.clock, signal);
      empty += 1;
    }
    const answered = Promise.all(questions.map(async ([key, ask]) => [key, await port.answer(ask)] as const));
    const answers = Object.fromEntries(await untilAborted(answered, method, signal));
    retry = outcome.state === undefined ? { answers } : { state: outcome.state, answers };
  }
}

/** Sends one request. `undefined` when the server wanted pages opened first and they are done: the call is then repeated unchanged. */
async function sendOnce(
  port: RoundsPort,
  { mode, signal, method }: RoundsPolicy,
  call: { retry: Retry | undefined; mayTryAgain: boolean },
): Promise<Outcome | undefined> {
  try {
    return await port.send(call.retry);
  } catch (error) {
    if (mode === 'manual' || !call.mayTryAgain || !isProtocolError(error) || error.kind !== 'url-elicitation-required')
      throw error;
    if (await untilAborted(port.openPages(error), method, signal)) return undefined;
    throw error;
  }
}
