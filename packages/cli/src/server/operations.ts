import type { CallToolResult, ServerCapabilities, Implementation, Tool } from 'crosspoint/client';
import type { AnswerTo, InboxItem, JsonObject, QuestionKind } from '@crosspoint/host';

/** A server as commands show it. */
export interface ServerFacts {
  readonly name: string;
  /** Command or address, secrets hidden. */
  readonly target: string;
  readonly family: string;
  readonly revision: string;
  readonly server: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
  readonly tools: number;
  readonly resources: number;
  readonly templates: number;
  readonly prompts: number;
}

/**
 * Everything that commands can ask of one server, by name: parameters and result, both JSON. The same table is carried out in this process and in
 * a keeper, so that a command does not know which.
 */
export interface Operations {
  show: { readonly params: object; readonly result: ServerFacts };
  'tools.list': { readonly params: object; readonly result: { readonly tools: readonly Tool[] } };
  'tools.call': {
    readonly params: { readonly tool: string; readonly arguments: JsonObject; readonly call: string };
    readonly result: CallToolResult;
  };
  /** The result of a call that was parked, when it is there. */
  'calls.wait': { readonly params: { readonly call: string }; readonly result: CallToolResult };
  'requests.list': { readonly params: object; readonly result: { readonly requests: readonly InboxItem[] } };
  'requests.answer': {
    readonly params: { readonly id: string; readonly answer: AnswerTo<QuestionKind> | JsonObject };
    readonly result: object;
  };
}

export type OperationName = keyof Operations;
export type ParamsOf<Name extends OperationName> = Operations[Name]['params'];
export type ResultOf<Name extends OperationName> = Operations[Name]['result'];

/** Something that happens while an operation runs. */
export type OperationEvent =
  | { readonly type: 'progress'; readonly progress: number; readonly total?: number; readonly message?: string }
  | { readonly type: 'question'; readonly item: InboxItem }
  | { readonly type: 'log'; readonly level: string; readonly logger?: string; readonly data: unknown }
  | { readonly type: 'stderr'; readonly line: string }
  | { readonly type: 'note'; readonly text: string };

export interface OperationOptions {
  /** Cancels the operation: the server is told. */
  readonly signal?: AbortSignal | undefined;
  readonly onevent?: ((event: OperationEvent) => void) | undefined;
}
