import { ProtocolError, type Client, type Outcome } from 'crosspoint/client';
import { exchange } from 'crosspoint/client/relaying';
import { inputRequired, type InputRequired, type ServerContext } from 'crosspoint/server';
import { mayAsk } from '../calls/ask.ts';
import { LiveCall } from '../calls/live-call.ts';
import type { OpenCall, Question } from '../calls/open-call.ts';
import { Unanswered, askLive, pauseBefore, unanswered, type NextRound } from '../calls/rounds.ts';
import { upstreamCapabilities } from '../words/capabilities.ts';
import { relayedError } from '../words/errors.ts';
import { isObject, withoutHop } from '../words/meta.ts';

type JsonObject = Record<string, unknown>;

/** Rounds of questions that a server without sessions may ask in one call of a client with one. */
const MAX_ROUNDS = 10;

/** A client for one caller, and the calls that are open at its server: a question of the server is brought to the one that it belongs to. */
export interface RelayClient {
  readonly client: Client;
  readonly calls: Set<OpenCall>;
}

/** Carries one request of a caller to the server of its client, and returns the result, or the questions that come before it. */
export async function relayCall<Result extends object>(
  relay: RelayClient,
  request: { readonly method: string; readonly params: JsonObject },
  ctx: ServerContext,
): Promise<Result | InputRequired> {
  const { method } = request;
  const params = withoutHop({ ...request.params, ...(ctx._meta && { _meta: ctx._meta }) });
  try {
    let retry = carriedRound(ctx);
    for (let round = 0; ; round += 1) {
      const outcome = await send(relay, { method, params }, ctx, retry);
      if (outcome.kind === 'complete') return withoutHop(outcome.result) as Result;
      if (outcome.kind === 'task') return (await taskResult(relay, outcome.task, ctx)) as Result;
      if (ctx.family === 'per-request') return asked(outcome);
      if (round >= MAX_ROUNDS)
        throw new ProtocolError('internal', `The server asked in more than ${MAX_ROUNDS} rounds of one call.`);
      if (Object.keys(outcome.asks).length === 0) await pauseBefore(round, ctx.signal);
      retry = await askLive(ctx, outcome);
    }
  } catch (error) {
    if (ctx.aborted) throw error;
    if (error instanceof Unanswered) return unanswered(method, error) as Result;
    throw relayedError(error);
  }
}

async function send(
  { client, calls }: RelayClient,
  request: { readonly method: string; readonly params: JsonObject },
  ctx: ServerContext,
  retry: NextRound | undefined,
): Promise<Outcome> {
  const call = new CallerCall(ctx, { mayBeAsked: mayAsk(request.method) });
  calls.add(call);
  try {
    return await exchange(client, request, {
      facts: {
        client: ctx.client,
        capabilities: upstreamCapabilities(ctx.capabilities, ctx.family, 'per-request'),
        logLevel: ctx.facts.logLevel,
      },
      signal: ctx.signal,
      timeout: 0,
      maxTotalTimeout: 0,
      onsent: (id) => call.ids.add(id),
      ...(retry && { retry }),
      ...(ctx.inbound.progressToken !== undefined && { onprogress: (progress) => ctx.progress(progress) }),
    });
  } finally {
    calls.delete(call);
  }
}

/** A call whose caller is asked at once where it has a session; one without could answer only a call that waits, which this relay does not keep. */
class CallerCall extends LiveCall {
  readonly #ctx: ServerContext;

  constructor(ctx: ServerContext, facts: { mayBeAsked: boolean }) {
    super(ctx, facts);
    this.#ctx = ctx;
  }

  override async ask(question: Question): Promise<JsonObject> {
    if (this.#ctx.family === 'handshake') return super.ask(question);
    throw new ProtocolError(
      'method-not-found',
      `${question.method} cannot be brought to a client without a session during a call. Put a bridge before the server.`,
    );
  }
}

/** The result of a call that the server made a task of, though none was asked for: the caller waits for it. */
async function taskResult({ client }: RelayClient, task: JsonObject, ctx: ServerContext): Promise<JsonObject> {
  const handle = client.resumeTask(String(task['taskId']));
  return withoutHop({ ...(await handle.wait({ signal: ctx.signal })) });
}

/** The questions of a server without sessions, for a caller without one: nothing of the call is kept here. */
function asked({ asks, state }: Extract<Outcome, { kind: 'input-required' }>): InputRequired {
  return inputRequired({ inputRequests: asks, requestState: JSON.stringify({ up: state ?? null }), relayed: true });
}

/** Answers and state that a caller without a session brings back. */
function carriedRound({ requestState, inputResponses }: ServerContext): NextRound | undefined {
  if (requestState === undefined) return undefined;
  const state: unknown = JSON.parse(requestState);
  const up = isObject(state) ? state['up'] : undefined;
  return { answers: inputResponses ?? {}, ...(typeof up === 'string' && { state: up }) };
}
