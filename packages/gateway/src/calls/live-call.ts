import type { ServerContext } from 'crosspoint/server';
import { cannotAsk } from 'crosspoint/server/relaying';
import type { OpenCall, Question } from '../matching/open-call.ts';

type JsonObject = Record<string, unknown>;
type RequestId = string | number;

/** A call between two sides with sessions: each question of the server goes to the client at once, on the stream of its call. */
export class LiveCall implements OpenCall {
  readonly ids: RequestId[] = [];
  readonly taskId: string | undefined;
  readonly mayBeAsked: boolean;
  readonly group: string | undefined;
  readonly #ctx: ServerContext;

  constructor(ctx: ServerContext, { mayBeAsked, taskId }: { mayBeAsked: boolean; taskId?: string }) {
    this.#ctx = ctx;
    this.mayBeAsked = mayBeAsked;
    this.taskId = taskId;
    this.group = ctx.family === 'handshake' ? ctx.group : undefined;
  }

  async ask({ method, params, signal, reportProgress }: Question): Promise<JsonObject> {
    const fault = isAsk(method) ? cannotAsk(this.#ctx, { method, params }) : undefined;
    if (fault !== undefined) throw fault;
    const options = { signal, relayed: true, timeout: 0, onprogress: reportProgress };
    return this.#ctx.sendRequest({ method, params }, undefined, options);
  }

  hear(notification: { method: string; params?: JsonObject }): void {
    tell(this.#ctx, notification);
  }
}

/** Passes a notification of the server on, with the request that it belongs to. One that cannot be told is dropped: its call has ended, or its level is none. */
export function tell(ctx: ServerContext, { method, params = {} }: { method: string; params?: JsonObject }): void {
  ctx.sendNotification({ method, params }).catch(() => {});
}

function isAsk(method: string): boolean {
  return method === 'elicitation/create' || method === 'sampling/createMessage' || method === 'roots/list';
}
