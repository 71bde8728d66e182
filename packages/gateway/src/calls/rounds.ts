import { ProtocolError, type Outcome } from 'crosspoint/client';
import type { ServerContext } from 'crosspoint/server';
import { cannotAsk } from 'crosspoint/server/relaying';
import { pause } from '../values/pause.ts';
import type { Ask } from '../matching/ask.ts';

type JsonObject = Record<string, unknown>;
type Asked = Extract<Outcome, { kind: 'input-required' }>;

/** Answers and state for the next round. */
export interface NextRound {
  readonly answers: JsonObject;
  readonly state?: string;
}

/** The end of a call because its client answered a question with an error, for which an `input_required` round has no place. */
export class Unanswered extends Error {
  override readonly name: string = 'Unanswered';
  readonly answer: Error;

  constructor(answer: Error) {
    super(answer.message, { cause: answer });
    this.answer = answer;
  }
}

/** Asks the questions of a round as requests on the stream of the call, all at once. Rejects with `Unanswered` for an answer that is an error. */
export async function askLive(ctx: ServerContext, { asks, state }: Asked): Promise<NextRound> {
  const answered = Object.entries(asks).map(async ([key, ask]) => [key, await askOne(ctx, ask)] as const);
  const answers = Object.fromEntries(await Promise.all(answered));
  return { answers, ...(state !== undefined && { state }) };
}

/** Asks one question. Rejects with `Unanswered` where that cannot be done, or the answer is an error. */
export async function askOne(ctx: ServerContext, ask: Ask, signal?: AbortSignal): Promise<JsonObject> {
  try {
    const fault = cannotAsk(ctx, ask);
    if (fault !== undefined) throw fault;
    return await ctx.sendRequest({ method: ask.method, params: ask.params }, undefined, {
      relayed: true,
      timeout: 0,
      ...(signal && { signal }),
    });
  } catch (error) {
    if (ctx.aborted) throw error;
    throw new Unanswered(error instanceof Error ? error : new ProtocolError('internal', String(error)));
  }
}

/** A tool reports what went wrong in its result; other requests fail. */
export function unanswered(method: string, { answer }: Unanswered): JsonObject {
  if (method !== 'tools/call') throw answer;
  return {
    content: [{ type: 'text', text: `A question of the server was not answered: ${answer.message}` }],
    isError: true,
  };
}

const PAUSES_MS = [0, 200, 400, 800, 1600, 3200];

/** Waits before a round without questions: the server is not done, and has nothing to ask. */
export function pauseBefore(round: number, signal: AbortSignal): Promise<void> {
  return pause(PAUSES_MS[round] ?? 5000, signal);
}
