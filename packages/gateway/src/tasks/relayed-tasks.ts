import { ProtocolError, isProtocolError, type Outcome, type Task } from 'crosspoint/client';
import type { ServerContext } from 'crosspoint/server';
import type { Tasks } from 'crosspoint/server/tasks';
import type { Ask } from '../matching/ask.ts';
import type { HeldCall } from '../calls/held-call.ts';
import type { Parking } from '../calls/parking.ts';
import type { Reach } from '../calls/reach.ts';
import { Unanswered, askLive, askOne, type NextRound } from '../calls/rounds.ts';
import { send, type RelayRequest } from '../calls/send.ts';
import type { Downstream } from '../upstream/downstream.ts';
import type { Slot } from '../upstream/upstream-sessions.ts';
import { TASKS_EXTENSION } from '../words/capabilities.ts';
import { isObject } from '../words/meta.ts';
import { followTask } from './upstream-task.ts';

type JsonObject = Record<string, unknown>;
/** Ends a call at the face with a task. */
export type Become = ReturnType<Tasks['forHandlers']>;

/** Work that had begun before the call became a task: a task that the server has made, a call that is parked, or nothing. */
interface Begun {
  readonly made?: { readonly task: Task; readonly downstream: Downstream };
  readonly park?: string;
}

/** The end of a round at the server, as a step can be kept. */
type Kept =
  | Outcome
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data?: unknown };

const IMMEDIATE_RESPONSE = 'io.modelcontextprotocol/model-immediate-response';

/**
 * Tasks through the bridge: a task of the server, or a call that its client wants as one, is a task of the face, which follows it. So each side has the tasks of its
 * own generation, and a task goes on after a restart where the face has a store.
 */
export class RelayedTasks {
  readonly #reach: Reach;
  readonly #parking: Parking;
  readonly #become: Become | undefined;
  readonly #maxRounds: number;

  constructor(parts: { reach: Reach; parking: Parking; become: Become | undefined }, maxRounds: number) {
    this.#reach = parts.reach;
    this.#parking = parts.parking;
    this.#become = parts.become;
    this.#maxRounds = maxRounds;
  }

  /** Whether the client has asked for a task, as clients with a handshake do. */
  isWished({ family, inbound }: ServerContext): boolean {
    return (
      this.#become !== undefined &&
      family === 'handshake' &&
      inbound.method === 'tools/call' &&
      isObject(inbound.params['task'])
    );
  }

  /** Whether the call may be answered with a task because the client takes any. */
  mayBecome({ family, inbound, capabilities }: ServerContext): boolean {
    return (
      this.#become !== undefined &&
      family === 'per-request' &&
      inbound.method === 'tools/call' &&
      capabilities.extensions?.[TASKS_EXTENSION] !== undefined
    );
  }

  /** Whether a server without sessions may answer with a task. A client with a session is given its result, as it waits for one. */
  takes(ctx: ServerContext, { session }: Slot): boolean {
    const hasTasks = session.client.getServerCapabilities()?.extensions?.[TASKS_EXTENSION] !== undefined;
    return hasTasks && ctx.inbound.method === 'tools/call' && (ctx.family === 'handshake' || this.mayBecome(ctx));
  }

  /** The request as it asks a server with a handshake for a task, where the client takes one and the tool may be one; otherwise as it is. */
  async asking(request: RelayRequest, ctx: ServerContext, { session }: Slot): Promise<RelayRequest> {
    if (!this.mayBecome(ctx) || session.client.getServerCapabilities()?.tasks === undefined) return request;
    const support = (await session.tool(String(request.params['name'])))?.execution?.taskSupport;
    return support !== 'optional' && support !== 'required'
      ? request
      : { ...request, params: { ...request.params, task: {} } };
  }

  /** A list of tools as the client is to see it: where the server decides about tasks and the client asks for them, any tool may be one. */
  offeredIn(result: JsonObject, ctx: ServerContext, { session }: Slot): JsonObject {
    const { tools } = result;
    if (ctx.inbound.method !== 'tools/list' || ctx.family === 'per-request' || !Array.isArray(tools)) return result;
    if (session.client.getServerCapabilities()?.extensions?.[TASKS_EXTENSION] === undefined) return result;
    const execution = { taskSupport: 'optional' };
    return { ...result, tools: tools.map((tool: unknown) => (isObject(tool) ? { ...tool, execution } : tool)) };
  }

  /** Ends the call with a task, which carries it out, or goes on with a parked call. */
  become(ctx: ServerContext, parked?: { readonly park: string }): Promise<JsonObject> {
    return this.#makeTask(ctx, parked && { steps: { begun: parked } });
  }

  /** The server has made a task: the call ends with one that follows it, or waits for it where its client takes none. */
  async began(ctx: ServerContext, slot: Slot, told: JsonObject): Promise<JsonObject> {
    const { _meta, resultType: _type, ...task } = told;
    if (!this.isWished(ctx) && !this.mayBecome(ctx)) return this.#follow(ctx, slot, task as object as Task);
    const { ttlMs, pollIntervalMs } = task as object as Task;
    const words = isObject(_meta) ? _meta[IMMEDIATE_RESPONSE] : undefined;
    const begun = { made: { task, downstream: this.#reach.downstream(ctx) } };
    return this.#makeTask(ctx, {
      steps: { begun },
      ...(ttlMs !== null && { ttlMs }),
      ...(pollIntervalMs !== undefined && { pollIntervalMs }),
      ...(typeof words === 'string' && { immediateResponse: words }),
    });
  }

  async #makeTask(...made: Parameters<Become>): Promise<JsonObject> {
    if (this.#become === undefined) throw new ProtocolError('internal', 'Calls cannot become tasks here.');
    return this.#become(...made);
  }

  /** Carries a call out inside its task at the face. */
  async run(request: RelayRequest, ctx: ServerContext): Promise<JsonObject> {
    const { park, made } = await ctx.step<Begun>('begun', () => ({}));
    if (park !== undefined) return this.#goOn(await this.#parking.claim(park), ctx);
    if (made !== undefined) {
      const slot = await this.#reach.known(made.downstream, ctx);
      return this.#follow(ctx, slot, made.task).finally(() => slot.release());
    }
    const slot = await this.#reach.request(ctx);
    return this.#rounds(ctx, slot, request).finally(() => slot.release());
  }

  /** A call that a server without sessions carries out: each round is a step, so that none is made twice. */
  async #rounds(ctx: ServerContext, slot: Slot, request: RelayRequest): Promise<JsonObject> {
    let retry: NextRound | undefined;
    for (let round = 0; round <= this.#maxRounds; round += 1) {
      const answers = retry;
      const kept = await ctx.step<Kept>(`round ${round}`, () => this.#round(ctx, slot, { request, retry: answers }), {
        interrupted: 'fail',
      });
      if (kept.kind === 'complete') return kept.result;
      if (kept.kind === 'error') throw new ProtocolError(kept.code, kept.message, kept.data);
      if (kept.kind === 'task') return this.#follow(ctx, slot, kept.task as object as Task);
      retry = await askLive(ctx, kept);
    }
    throw new ProtocolError('internal', `The server asked in more than ${this.#maxRounds} rounds of one call.`);
  }

  async #round(
    ctx: ServerContext,
    slot: Slot,
    { request, retry }: { request: RelayRequest; retry: NextRound | undefined },
  ): Promise<Kept> {
    const { task: _wish, ...params } = request.params;
    try {
      return await send(ctx, slot, { ...request, params }, { retry, takesTask: this.takes(ctx, slot) });
    } catch (error) {
      if (!isProtocolError(error)) throw error;
      const { code, message, data } = error;
      return { kind: 'error', code, message, ...(data !== undefined && { data }) };
    }
  }

  /** A call that was parked goes on: its questions are those of the task. */
  async #goOn(call: HeldCall | undefined, ctx: ServerContext): Promise<JsonObject> {
    if (call === undefined)
      throw new ProtocolError('internal', 'The call was lost with the process that carried it.', {
        outcome: 'unknown',
      });
    const over = (): void => call.cancel('The task was cancelled.');
    ctx.signal.addEventListener('abort', over, { once: true });
    // It may have been cancelled while the call was fetched.
    if (ctx.aborted) over();
    call.attach({ progress: (progress) => ctx.progress(progress), hear: () => {} });
    for (;;) {
      const outcome = await call.turn();
      if (outcome?.kind === 'complete') return outcome.result;
      if (outcome !== undefined) throw new ProtocolError('internal', `The server answered with ${outcome.kind}.`);
      await Promise.all(Object.entries(call.questions).map(([key, ask]) => this.#ask(call, ctx, { key, ask })));
    }
  }

  /** Asks one question of a held call through its task. A server with a handshake can be told that it cannot be asked, and may withdraw it. */
  async #ask(call: HeldCall, ctx: ServerContext, { key, ask }: { key: string; ask: Ask }): Promise<void> {
    try {
      call.answer({ [key]: await askOne(ctx, ask, call.closedOf(key)) });
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      call.refuse(key, error.answer);
    }
  }

  #follow(ctx: ServerContext, slot: Slot, task: Task): Promise<JsonObject> {
    return followTask(ctx, {
      slot,
      task,
      exchange: (method, params) =>
        send(ctx, slot, { method, params }, { takesTask: true, isFinal: method === 'tasks/cancel' }),
      onstatus: (message) => void ctx.task?.setStatus(message),
    });
  }
}
