import type { Outcome } from 'crosspoint/client';
import { exchange } from 'crosspoint/client/relaying';
import type { ServerContext } from 'crosspoint/server';
import type { Slot } from '../upstream/upstream-sessions.ts';
import { toldFacts } from '../upstream/told-facts.ts';
import { mayAsk } from '../matching/ask.ts';
import { leavingOf } from '../values/leaving.ts';
import { LiveCall } from './live-call.ts';
import type { NextRound } from './rounds.ts';

type JsonObject = Record<string, unknown>;

export interface RelayRequest {
  readonly method: string;
  readonly params: JsonObject;
}

interface SendOptions {
  readonly retry?: NextRound | undefined;
  /** Whether the server may answer with a task. */
  readonly takesTask?: boolean;
  /** The request is the last for a client that has gone, so it is sent all the same. */
  readonly isFinal?: boolean;
}

/** Sends one request of a client to the server, and lets everything that belongs to it reach the client while it runs. */
export async function send(
  ctx: ServerContext,
  { session }: Slot,
  { method, params }: RelayRequest,
  { retry, takesTask = false, isFinal = false }: SendOptions = {},
): Promise<Outcome> {
  const call = new LiveCall(ctx, { mayBeAsked: mayAsk(method) });
  const { logLevel } = ctx.facts;
  const isTold = session.family === 'handshake';
  session.calls.add(call);
  try {
    if (isTold && ctx.family === 'per-request' && logLevel !== undefined)
      await session.level.wantForCall(call, logLevel);
    const outcome = await exchange(
      session.client,
      { method, params },
      // Member by member: a member after a spread is slow.
      {
        // A server with a handshake was told them by it.
        facts: isTold ? undefined : toldFacts(ctx, takesTask),
        signal: isFinal ? undefined : leavingOf(ctx),
        timeout: 0,
        maxTotalTimeout: 0,
        onsent: (id) => call.ids.push(id),
        retry,
        onprogress: ctx.inbound.progressToken === undefined ? undefined : (progress) => ctx.progress(progress),
      },
    );
    if (method === 'tools/list' && outcome.kind === 'complete') session.learn(outcome.result);
    return outcome;
  } finally {
    session.level.release(call);
    session.calls.delete(call);
  }
}
