import type { Ask } from './ask.ts';
import type { Matchable } from './match-call.ts';

type JsonObject = Record<string, unknown>;

/** A question of a server with a handshake, and the end of its patience. */
export interface Question extends Ask {
  /** Aborts when the server withdraws the question, or the connection ends. */
  readonly signal: AbortSignal;
  /** Event before the question, where its stream can be resumed from there. */
  readonly resumeAfter: string | undefined;
  /** Tells the server how far the answer is. */
  readonly reportProgress: (progress: { progress: number; total?: number; message?: string }) => void;
}

/** A call at the server that its messages are brought to. */
export interface OpenCall extends Matchable {
  /** Session of its client, where that has one. */
  readonly group?: string | undefined;
  /** Answers a question that belongs to this call, or rejects with the error for the server. */
  ask(question: Question): Promise<JsonObject>;
  /** Takes a notification that belongs to this call. */
  hear(notification: { method: string; params?: JsonObject }): void;
}
