import type { Tool } from 'crosspoint/client';
import type { Decision } from '../consent/decision.ts';
import type { Json, JsonObject } from '../values/json.ts';

/** Where a question comes from. */
export interface Provenance {
  /** The server, by its name in the host; absent for questions of the host itself. */
  readonly server?: string;
  /** The call that the question belongs to, where it is known. */
  readonly call?: { readonly id: string; readonly tool: string; readonly arguments: JsonObject };
  /** Why the user is asked, in one sentence. */
  readonly reason: string;
}

/** A changed member of a tool's definition. `path` is a JSON pointer. */
export interface DefinitionChange {
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** Everything that a host asks its user, by kind: the question, and the answers that it takes. */
export interface Questions {
  /** May this server be started or connected to? The first time, and again when the command or the address changed. */
  start: {
    question: {
      /** The whole command or address, unseen characters made visible, values of secrets not shown. */
      readonly target: string;
      /** The risks of starting it, one sentence each. */
      readonly warnings: readonly string[];
      readonly isChanged: boolean;
    };
    answer: { readonly action: 'allow' | 'deny' };
  };
  /** May this tool be called? */
  call: {
    question: {
      readonly tool: Tool;
      readonly arguments: JsonObject;
      readonly decision: Decision;
      /** The differences to the definition that was approved; empty when none was or nothing changed. */
      readonly changes: readonly DefinitionChange[];
    };
    /** `arguments`: sent in place of those of the question. */
    answer:
      | { readonly action: 'allow'; readonly for?: 'once' | 'session' | 'always'; readonly arguments?: JsonObject }
      | { readonly action: 'deny'; readonly message?: string };
  };
  /** May this result go to the model? */
  result: {
    question: { readonly tool: string; readonly result: JsonObject };
    answer:
      | { readonly action: 'allow'; readonly result?: JsonObject }
      | { readonly action: 'deny'; readonly message?: string };
  };
  /** A form of a server. */
  form: {
    question: { readonly message: string; readonly requestedSchema: JsonObject };
    answer: { readonly action: 'accept'; readonly content: JsonObject } | { readonly action: 'decline' | 'cancel' };
  };
  /** A page that a server wants the user to open. */
  url: {
    question: {
      readonly message: string;
      readonly url: string;
      readonly host: string;
      readonly warnings: readonly string[];
      readonly elicitationId?: string;
    };
    answer: { readonly action: 'accept' | 'decline' | 'cancel' };
  };
  /** A server asks for words of a model: `sampling/createMessage`. `request` may be edited before it is sent; `model` is the one that would answer. */
  sampling: {
    question: { readonly request: JsonObject; readonly model?: string };
    answer:
      | { readonly action: 'allow'; readonly request?: JsonObject; readonly result?: JsonObject }
      | { readonly action: 'deny'; readonly message?: string };
  };
  /** May these words of the model go to the server that asked for them? */
  sampled: {
    question: { readonly request: JsonObject; readonly result: JsonObject };
    answer:
      | { readonly action: 'allow'; readonly result?: JsonObject }
      | { readonly action: 'deny'; readonly message?: string };
  };
  /** May the server know these folders? The answer may hold fewer. */
  roots: {
    question: { readonly roots: readonly { readonly uri: string; readonly name?: string }[] };
    answer:
      | { readonly action: 'allow'; readonly roots?: readonly { readonly uri: string; readonly name?: string }[] }
      | { readonly action: 'deny' };
  };
  /** The server wants the user to log in at an address. */
  login: {
    question: {
      readonly url: string;
      readonly host: string;
      readonly warnings: readonly string[];
      readonly scopes: readonly string[];
    };
    answer: { readonly action: 'allow' | 'deny' };
  };
  /** A value that a configuration asks for. */
  input: {
    question: {
      readonly id: string;
      readonly title: string;
      readonly description?: string;
      readonly isSecret: boolean;
      readonly options?: readonly { readonly label: string; readonly value: string }[];
      readonly default?: Json;
      /** The kind of value; a text when absent. `directory` and `file` are absolute paths of what is there. */
      readonly type?: 'text' | 'choice' | 'command' | 'number' | 'boolean' | 'directory' | 'file';
      /** Whether the answer is a list of such values. */
      readonly isList?: boolean;
      /** Whether there has to be a value; `null` is one that is not set. */
      readonly isRequired?: boolean;
      readonly minimum?: number;
      readonly maximum?: number;
      /** Why the last answer, or the value that was kept, was not taken. */
      readonly problem?: string;
    };
    answer: { readonly action: 'accept'; readonly value: Json } | { readonly action: 'cancel' };
  };
}

export type QuestionKind = keyof Questions;

/** A question that waits for its answer. */
export type InboxItem<K extends QuestionKind = QuestionKind> = {
  readonly [Kind in K]: {
    readonly id: string;
    readonly kind: Kind;
    readonly from: Provenance;
    readonly question: Questions[Kind]['question'];
    /** When it was asked, in milliseconds since 1970. */
    readonly askedAt: number;
    /** When it is given up, answered with the most careful answer of its kind. */
    readonly expiresAt: number;
  };
}[K];

export type AnswerTo<K extends QuestionKind> = Questions[K]['answer'];

/** The part of the inbox that asks. */
export interface Asks {
  /** Resolves with the answer; with the most careful one (`deny`, `cancel`) when the time is over or `signal` aborts. Never rejects. */
  ask<K extends QuestionKind>(
    kind: K,
    question: Questions[K]['question'],
    from: Provenance,
    options?: AskOptions,
  ): Promise<AnswerTo<K>>;
}

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long it waits; the inbox's limit when absent. */
  readonly timeoutMs?: number;
  /** Asks no one: the question is refused for this reason, told to those who watch, and written down. */
  readonly refused?: string;
}
