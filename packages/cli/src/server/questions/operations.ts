import type { CallToolResult } from 'crosspoint/client';
import type { AnswerTo, InboxItem, JsonObject, QuestionKind } from '@crosspoint/host';

/** A call that goes on at a server, or that was left and has ended since. */
export interface HeldCallFacts {
  readonly id: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** ISO 8601. */
  readonly startedAt: string;
  /** `waiting`: the server asks something. `done` and `failed`: the result waits for crosspoint calls wait. */
  readonly state: 'running' | 'waiting' | 'done' | 'failed';
  /** The ids of the questions that wait. */
  readonly requests: readonly string[];
}

/** Operations about questions of a server, and about the calls that wait for their answers. */
export interface QuestionOperations {
  /** The calls that run, and those that were left by their command. */
  'calls.list': { readonly params: object; readonly result: { readonly calls: readonly HeldCallFacts[] } };
  /** The result of a call that runs or was left, when it is there. Its questions come as events. */
  'calls.wait': { readonly params: { readonly call: string }; readonly result: CallToolResult };
  /** Cancels a call at the server. */
  'calls.cancel': { readonly params: { readonly call: string }; readonly result: object };
  'requests.list': { readonly params: object; readonly result: { readonly requests: readonly InboxItem[] } };
  'requests.answer': {
    readonly params: { readonly id: string; readonly answer: AnswerTo<QuestionKind> | JsonObject };
    readonly result: object;
  };
  /** Gives every question to this command before others, those that wait first, until it is cancelled. */
  'requests.respond': { readonly params: object; readonly result: object };
  /** The command that responds leaves a question to the others. */
  'requests.pass': { readonly params: { readonly id: string }; readonly result: object };
}
