import { ProtocolError, isProtocolError, type Outcome } from 'crosspoint/client';
import { inputRequired, type Caller, type ServerContext } from 'crosspoint/server';
import { cannotAsk, headerFault } from 'crosspoint/server/relaying';
import type { RelayedTasks } from '../tasks/relayed-tasks.ts';
import type { Slot } from '../upstream/upstream-sessions.ts';
import { relayedError } from '../words/errors.ts';
import { isObject, withoutHop } from '../words/meta.ts';
import { mayAsk } from '../matching/ask.ts';
import { HeldCall } from './held-call.ts';
import { leavingOf } from '../values/leaving.ts';
import { tell } from './live-call.ts';
import type { Parking } from './parking.ts';
import type { Reach } from './reach.ts';
import { Unanswered, askLive, pauseBefore, unanswered, type NextRound } from './rounds.ts';
import { send, type RelayRequest } from './send.ts';

type JsonObject = Record<string, unknown>;
type Asked = Extract<Outcome, { kind: 'input-required' }>;

export interface RelayRules {
  readonly maxRounds: number;
  readonly onproblem: (problem: Error) => void;
  /** Whether a client that declares tasks is given a task for a call that asks. */
  readonly asksInTasks: boolean;
}

/** State that a client carries between two rounds: the name of a parked call, or the state of the server behind. */
type CarriedState = { readonly park: string } | { readonly up: string | null };

/** Carries requests to the server and its answers back, in the way of the two families that meet. */
export class Relay {
  readonly #reach: Reach;
  readonly #parking: Parking;
  readonly #tasks: RelayedTasks;
  readonly #rules: RelayRules;

  constructor(parts: { reach: Reach; parking: Parking; tasks: RelayedTasks }, rules: RelayRules) {
    this.#reach = parts.reach;
    this.#parking = parts.parking;
    this.#tasks = parts.tasks;
    this.#rules = rules;
  }

  /** Carries one request and returns its result, or the questions that come before it. */
  async handle({ method, params }: RelayRequest, ctx: ServerContext): Promise<JsonObject> {
    try {
      if (ctx.task !== undefined) return await this.#tasks.run({ method, params: withoutHop(params) }, ctx);
      const carried = readState(ctx);
      if (carried && 'park' in carried) return await this.#comeBack(carried.park, ctx);
      // Nothing is awaited that is here already: with a chain of fewer promises, a bridged call allocates 23.8 kB, and 28.6 otherwise.
      const reached = this.#reach.request(ctx);
      const slot = 'then' in reached ? await reached : reached;
      if (repeatsArguments(ctx)) await refuseOtherHeaders(slot, ctx);
      const request = { method, params: withoutHop(params) };
      if (slot.session.family === 'handshake') return await this.#toHandshake(slot, request, ctx);
      return await this.#toPerRequest(slot, request, ctx, carried);
    } catch (error) {
      if (ctx.aborted) throw error;
      if (error instanceof Unanswered) return unanswered(method, error);
      if (error instanceof OwnFault) throw error.fault;
      // The caller is told less than the operator.
      if (!isProtocolError(error)) this.#rules.onproblem(error as Error);
      throw relayedError(error);
    }
  }

  /** Carries a notification of a client. */
  async notify(notification: RelayRequest, from: Caller): Promise<void> {
    const slot = await this.#reach.caller(from);
    try {
      const { method, params } = notification;
      await slot.session.client.notification({ method, params: withoutHop(params) });
    } finally {
      slot.release();
    }
  }

  // ---- servers of the per-request family

  async #toPerRequest(
    slot: Slot,
    request: RelayRequest,
    ctx: ServerContext,
    carried: { readonly up: string | null } | undefined,
  ): Promise<JsonObject> {
    try {
      const isWished = this.#tasks.isWished(ctx);
      if (isWished && this.#tasks.takes(ctx, slot)) return await this.#tasks.become(ctx);
      // A wish for a task that nobody offered is no part of the call.
      const sent = isWished ? { ...request, params: withoutWish(request.params) } : request;
      let retry: NextRound | undefined = carried && {
        answers: ctx.inputResponses ?? {},
        ...(carried.up !== null && { state: carried.up }),
      };
      for (let round = 0; ; round += 1) {
        const outcome = await send(ctx, slot, sent, { retry, takesTask: this.#tasks.takes(ctx, slot) });
        if (outcome.kind === 'complete') return this.#tasks.offeredIn(withoutHop(outcome.result), ctx, slot);
        if (outcome.kind === 'task') return await this.#tasks.began(ctx, slot, outcome.task);
        if (ctx.family === 'per-request') return asked(outcome.asks, { up: outcome.state ?? null });
        retry = await this.nextRound(ctx, outcome, round);
      }
    } finally {
      slot.release();
    }
  }

  /** Asks a client with a session everything that the server wants to know before it goes on. */
  async nextRound(ctx: ServerContext, outcome: Asked, round: number): Promise<NextRound> {
    const { maxRounds } = this.#rules;
    if (round >= maxRounds)
      throw new ProtocolError('internal', `The server asked in more than ${maxRounds} rounds of one call.`);
    if (Object.keys(outcome.asks).length === 0) await pauseBefore(round, ctx.signal);
    return askLive(ctx, outcome);
  }

  // ---- servers with a handshake

  async #toHandshake(slot: Slot, request: RelayRequest, ctx: ServerContext): Promise<JsonObject> {
    let isHeld = false;
    try {
      const asked = this.#tasks.mayBecome(ctx) ? await this.#tasks.asking(request, ctx, slot) : request;
      if (ctx.family === 'per-request' && mayAsk(request.method) && asked === request) {
        const call = await this.#hold(slot, request, ctx);
        isHeld = true;
        return await this.#follow(call, ctx);
      }
      const outcome = await send(ctx, slot, asked);
      if (outcome.kind === 'task') return await this.#tasks.began(ctx, slot, outcome.task);
      return withoutHop(completed(outcome));
    } finally {
      if (!isHeld) slot.release();
    }
  }

  /** Begins a call that may ask, for a client that can only be asked in an answer. It releases its slot itself. */
  async #hold(slot: Slot, request: RelayRequest, ctx: ServerContext): Promise<HeldCall> {
    const { logLevel } = ctx.facts;
    const call = new HeldCall(slot, { ...request, wantsProgress: ctx.inbound.progressToken !== undefined });
    if (logLevel !== undefined) await slot.session.level.wantForCall(call, logLevel);
    call.start();
    return call;
  }

  /** The client is back with answers for a call that waits for them. */
  async #comeBack(park: string, ctx: ServerContext): Promise<JsonObject> {
    const call = await this.#parking.claim(park);
    if (call === undefined)
      throw new ProtocolError(
        'state-refused',
        'The call cannot go on: it was answered before, its time is over, its server has lost it, or another process of the bridge holds it. Make it again; whether it was carried out is not known.',
      );
    call.answer(ctx.inputResponses ?? {});
    return this.#follow(call, ctx);
  }

  /** Follows a call until it ends, or until its client has to be asked. */
  async #follow(call: HeldCall, ctx: ServerContext): Promise<JsonObject> {
    const left = (): void => call.cancel('The client has gone.');
    const leaving = leavingOf(ctx);
    leaving.addEventListener('abort', left, { once: true });
    if (ctx.aborted) left();
    call.attach({ progress: (progress) => ctx.progress(progress), hear: (notification) => tell(ctx, notification) });
    try {
      for (;;) {
        const outcome = await call.turn();
        if (outcome !== undefined) return withoutHop(completed(outcome));
        const asks = askable(call, ctx);
        if (asks === undefined) continue;
        return await this.#park(call, asks, ctx);
      }
    } finally {
      leaving.removeEventListener('abort', left);
    }
  }

  async #park(call: HeldCall, asks: HeldCall['questions'], ctx: ServerContext): Promise<JsonObject> {
    let park: string | undefined;
    try {
      park = await this.#parking.park(call, ownerOf(ctx));
      if (this.#rules.asksInTasks && this.#tasks.mayBecome(ctx)) return await this.#tasks.become(ctx, { park });
      return asked(asks, { park });
    } catch (error) {
      if (park !== undefined) await this.#parking.claim(park);
      call.cancel('The bridge could not keep the call until it is answered.');
      throw error;
    }
  }
}

/** A fault of the client's own hop, which it gets as it is. */
class OwnFault extends Error {
  readonly fault: Error;

  constructor(fault: Error) {
    super(fault.message, { cause: fault });
    this.fault = fault;
  }
}

/** Whether the headers of a request have to repeat arguments, where the tool says so. */
function repeatsArguments({ family, requestInfo, inbound }: ServerContext): boolean {
  return family !== 'handshake' && requestInfo !== undefined && inbound.method === 'tools/call';
}

/** Refuses a call over HTTP whose headers do not repeat its arguments: a proxy may have let it pass by its headers. */
async function refuseOtherHeaders(slot: Slot, ctx: ServerContext): Promise<void> {
  const name = String(ctx.inbound.params['name']);
  const repeats = Object.keys(ctx.requestInfo?.headers ?? {}).some((header) => header.startsWith('mcp-param-'));
  // A client that was never told of the tool repeats nothing, and the list is not read for it.
  const tool = slot.session.known(name) ?? (repeats ? await slot.session.tool(name) : undefined);
  const fault = tool && headerFault(ctx, tool);
  if (fault === undefined) return;
  slot.release();
  throw new OwnFault(fault);
}

/** The questions that the client can be asked; the server is told of all others. `undefined` where none is left. */
function askable(call: HeldCall, ctx: ServerContext): HeldCall['questions'] | undefined {
  const asks = Object.entries(call.questions).filter(([key, ask]) => {
    const fault = cannotAsk(ctx, ask);
    if (fault !== undefined) call.refuse(key, fault);
    return fault === undefined;
  });
  return asks.length === 0 ? undefined : Object.fromEntries(asks);
}

function withoutWish({ task: _wish, ...params }: JsonObject): JsonObject {
  return params;
}

function completed(outcome: Outcome): JsonObject {
  if (outcome.kind === 'complete') return outcome.result;
  throw new ProtocolError('internal', `The server answered with ${outcome.kind}, which was not asked for.`);
}

function ownerOf({ principal, clientAddress }: ServerContext): string {
  return JSON.stringify([principal ?? null, clientAddress ?? null]);
}

function asked(asks: HeldCall['questions'], state: CarriedState): JsonObject {
  return inputRequired({
    inputRequests: asks,
    requestState: JSON.stringify(state),
    relayed: true,
  }) as object as JsonObject;
}

function readState({ requestState }: ServerContext): CarriedState | undefined {
  if (requestState === undefined) return undefined;
  const state: unknown = JSON.parse(requestState);
  return isObject(state) ? (state as CarriedState) : undefined;
}
