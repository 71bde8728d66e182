/**
 * A conversation with a language model, in words that belong to no provider. Providers turn it into the format of their API and back.
 *
 * Everything here is plain JSON, so that a conversation can be kept in a store and go on after a crash; `ModelError` is the exception.
 */
import type { Json, JsonObject } from '../values/json.ts';

/** Words. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

/** A picture or a sound, as base64. */
export interface MediaBlock {
  readonly type: 'image' | 'audio';
  readonly data: string;
  readonly mimeType: string;
}

/** A resource of a server: its text, its bytes as base64, or neither, when it is only a link. */
export interface ResourceBlock {
  readonly type: 'resource';
  readonly uri: string;
  readonly title?: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}

/** The model wants a tool to be called. Several in one message may be carried out at the same time. */
export interface ToolUseBlock {
  readonly type: 'tool-use';
  /** Unique in the conversation; the result names it. */
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  /** The arguments as the model wrote them, where they are no JSON object; `input` is then empty. Tell the model, and call nothing. */
  readonly faultyInput?: string;
  /** Facts of the provider about this use (`_meta` of the protocol). They go back with it, unchanged, whenever the conversation is sent again. */
  readonly meta?: JsonObject;
}

/** The result of a tool, in a message of the user that follows the one with its use. */
export interface ToolResultBlock {
  readonly type: 'tool-result';
  readonly toolUseId: string;
  readonly content: readonly ResultBlock[];
  readonly isError?: boolean;
  readonly meta?: JsonObject;
}

export type ResultBlock = TextBlock | MediaBlock | ResourceBlock;

/**
 * The thoughts of a model, as its provider wants them back. Nobody but the provider named here looks into `data`; another one leaves the block out.
 */
export interface ReasoningBlock {
  readonly type: 'reasoning';
  readonly provider: string;
  readonly data: Json;
}

export type ModelBlock = ResultBlock | ToolUseBlock | ToolResultBlock | ReasoningBlock;

export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ModelBlock[];
}

/** A tool that the model is told of. The name fits `/^[a-zA-Z0-9_-]{1,64}$/`; see the formats of the catalogue. */
export interface ModelTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
}

/** `auto`: the model decides. `any`: it uses at least one tool. `none`: it uses none. Or it uses the tool of this name. */
export type ToolChoice = 'auto' | 'any' | 'none' | { readonly name: string };

export interface ModelRequest {
  /** One of the names that `models()` of the provider gives. */
  readonly model: string;
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[];
  /** `auto` when absent. */
  readonly toolChoice?: ToolChoice;
  /** Whether the model may use several tools in one message; true when absent. */
  readonly parallelTools?: boolean;
  /** The most tokens of the answer, thoughts included. */
  readonly maxTokens: number;
  /** Left out by providers that have no such setting. */
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
}

/**
 * Why the model stopped. `refused`: by its own rules or those of its provider. `context-overflow`: the context was full before the answer was
 * whole. `paused`: send the conversation again with this answer in it, and it goes on. `other`: for a reason that only `stopDetail` names.
 */
export type ModelStopReason =
  | 'end-turn'
  | 'tool-use'
  | 'max-tokens'
  | 'stop-sequence'
  | 'refused'
  | 'context-overflow'
  | 'paused'
  | 'other';

/** The cost of one answer. */
export interface ModelUsage {
  /** Every token that was sent, those from a cache included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of `inputTokens` that came from a cache of the provider. */
  readonly cachedTokens: number;
  /** The part of `inputTokens` that was written to a cache of the provider. */
  readonly cacheWriteTokens: number;
  /** In US dollars; absent when the prices of the model are not known. */
  readonly cost?: number;
}

export interface ModelResponse {
  /** The model that answered, as the provider names it. */
  readonly model: string;
  readonly content: readonly ModelBlock[];
  readonly stopReason: ModelStopReason;
  /** The word of the provider for why it stopped. */
  readonly stopDetail?: string;
  readonly usage: ModelUsage;
}

/** One step of an answer that is on its way. */
export type ModelEvent =
  /** The provider has taken the request. */
  | { readonly type: 'begin'; readonly model: string }
  /** More words. */
  | { readonly type: 'text'; readonly text: string }
  /** More thoughts, for people who want to watch. */
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool-use-begun'; readonly id: string; readonly name: string }
  /** More of the arguments of a tool, as JSON text. */
  | { readonly type: 'tool-use-arguments'; readonly id: string; readonly text: string }
  | { readonly type: 'tool-use-done'; readonly use: ToolUseBlock }
  /** The usage so far; each counts from the beginning of this answer. */
  | { readonly type: 'usage'; readonly usage: ModelUsage }
  /** The request is sent again after `waitMs`; the words and tools that came so far do not count. */
  | { readonly type: 'again'; readonly error: ModelError; readonly waitMs: number }
  | { readonly type: 'end'; readonly response: ModelResponse };

/** Prices in US dollars for a million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  /** Of tokens that come from a cache; as `input` when absent. */
  readonly cached?: number;
  /** Of tokens that are written to a cache; as `input` when absent. */
  readonly cacheWrite?: number;
}

/** A model that a provider offers. `cost`, `speed` and `intelligence` go from 0 to 1, higher is better: `cost` 1 is the cheapest. */
export interface ModelInfo {
  readonly name: string;
  /** Other names and families by which servers may ask for this model. */
  readonly aliases?: readonly string[];
  readonly cost?: number;
  readonly speed?: number;
  readonly intelligence?: number;
  readonly prices?: ModelPrices;
  /** The most tokens of a request and its answer together. */
  readonly contextTokens?: number;
  /** The most tokens of an answer. */
  readonly maxOutputTokens?: number;
  /** The media that the model takes; those that the API of its provider has when absent. Agents describe others in words. */
  readonly takes?: readonly MediaBlock['type'][];
}

export interface CompleteOptions {
  /** Ends the request: the promise rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Told of every step. An error that it throws does not end the answer. */
  readonly onevent?: ((event: ModelEvent) => void) | undefined;
}

/**
 * Something that answers as a model: an API, a program on this machine, a script in a test.
 *
 * ```ts
 * const echo: ModelProvider = {
 *   name: 'echo',
 *   models: () => [{ name: 'echo-1' }],
 *   complete: async ({ model, messages }) => ({
 *     model,
 *     content: messages.at(-1)?.content ?? [],
 *     stopReason: 'end-turn',
 *     usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0, cacheWriteTokens: 0 },
 *   }),
 * };
 * ```
 */
export interface ModelProvider {
  readonly name: string;
  /** The models that may be named in a request, the preferred one first. */
  models(): readonly ModelInfo[] | Promise<readonly ModelInfo[]>;
  /** Resolves with the whole answer. Rejects with `ModelError`, or with the reason of the signal. It tries once: `withRetries` tries again. */
  complete(request: ModelRequest, options?: CompleteOptions): Promise<ModelResponse>;
}

/**
 * The ways in which a request fails.
 * - `rate-limited`: too many requests or tokens for now; `retryAfterMs` says how long, where the provider does.
 * - `overloaded`: the provider cannot answer now, or failed within.
 * - `context-overflow`: the request is larger than the context of the model.
 * - `refused`: the provider does not answer such a request.
 * - `auth`: no key, a wrong one, or one without the right.
 * - `bad-request`: the provider does not take the request; sent again it fails again.
 * - `network`: the provider was not reached, or did not answer in time.
 * - `interrupted`: the answer broke off; `partial` holds the part that came.
 * - `unavailable`: the provider cannot be used here at all, for example because its package is not installed.
 */
export type ModelErrorKind =
  | 'rate-limited'
  | 'overloaded'
  | 'context-overflow'
  | 'refused'
  | 'auth'
  | 'bad-request'
  | 'network'
  | 'interrupted'
  | 'unavailable';

export interface ModelErrorFacts {
  readonly kind: ModelErrorKind;
  readonly provider: string;
  /** The HTTP status of the answer. */
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly partial?: Pick<ModelResponse, 'content' | 'usage'>;
}

/** A request to a model that failed. The message is for people, and holds no key. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  readonly provider: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly partial?: Pick<ModelResponse, 'content' | 'usage'>;

  constructor(message: string, facts: ModelErrorFacts) {
    super(message);
    this.kind = facts.kind;
    this.provider = facts.provider;
    if (facts.status !== undefined) this.status = facts.status;
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs;
    if (facts.partial !== undefined) this.partial = facts.partial;
  }
}
