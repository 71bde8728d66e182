import type { CallToolResult, Implementation, Prompt, Resource, ServerCapabilities, Tool } from 'crosspoint/client';
import type { Explanation, InboxItem, JsonObject, ListedTemplate, ServerChanges } from '@crosspoint/host';
import type { TimelineSpan } from '@crosspoint/host/timeline';
import type { ChangeEvent, LogLine, OfferOperations } from './offers/offer-operations.ts';
import type { QuestionOperations } from './questions/operations.ts';
import type { TaskOperations } from './tasks/operations.ts';

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
export interface Operations extends OfferOperations, QuestionOperations, TaskOperations {
  show: { readonly params: object; readonly result: ServerFacts };
  'tools.list': { readonly params: object; readonly result: { readonly tools: readonly Tool[] } };
  'prompts.list': { readonly params: object; readonly result: { readonly prompts: readonly Prompt[] } };
  'resources.list': { readonly params: object; readonly result: { readonly resources: readonly Resource[] } };
  'resources.templates': {
    readonly params: object;
    readonly result: { readonly resourceTemplates: readonly ListedTemplate[] };
  };
  'tools.call': {
    readonly params: {
      readonly tool: string;
      readonly arguments: JsonObject;
      readonly call: string;
      /** Takes a changed definition of the tool for known, without a question. */
      readonly acceptChanges?: boolean;
    };
    readonly result: CallToolResult;
  };
  /** The differences of the server to what was first seen of it, or accepted since. */
  'definitions.changes': { readonly params: object; readonly result: { readonly changes: ServerChanges } };
  'definitions.accept': { readonly params: object; readonly result: object };
  'policy.explain': {
    readonly params: { readonly tool: string; readonly arguments: JsonObject };
    readonly result: Explanation;
  };
  /** The record of what led to what; `call` is the id of a call, a span or a trace. */
  'timeline.query': {
    readonly params: { readonly since?: number; readonly call?: string; readonly limit?: number };
    readonly result: { readonly spans: readonly TimelineSpan[]; readonly dropped: number };
  };
}

export type OperationName = keyof Operations;
export type ParamsOf<Name extends OperationName> = Operations[Name]['params'];
export type ResultOf<Name extends OperationName> = Operations[Name]['result'];

/** Something that happens while an operation runs. */
export type OperationEvent =
  | { readonly type: 'progress'; readonly progress: number; readonly total?: number; readonly message?: string }
  | { readonly type: 'question'; readonly item: InboxItem }
  | LogLine
  | ChangeEvent
  /** A question was answered, withdrawn or given up. */
  | { readonly type: 'question-over'; readonly id: string }
  /** A task that is waited for has another status, or says something else of itself. */
  | { readonly type: 'status'; readonly status: string; readonly message?: string }
  | { readonly type: 'note'; readonly text: string };

export interface OperationOptions {
  /** Cancels the operation: the server is told. */
  readonly signal?: AbortSignal | undefined;
  readonly onevent?: ((event: OperationEvent) => void) | undefined;
}
