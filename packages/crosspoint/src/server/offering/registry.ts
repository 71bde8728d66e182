import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Prompt } from '../../protocol/prompts.ts';
import type { CacheHints } from '../../protocol/listing.ts';
import type { MirroredParam } from '../../protocol/mirrored-params.ts';
import type { Resource, ResourceTemplateDefinition } from '../../protocol/resources.ts';
import type { Tool } from '../../protocol/tools.ts';
import { atOnce } from '../../runtime/guard.ts';
import type { Schema } from '../../schema/schema.ts';
import type { Suggest } from './completable.ts';
import type { Caller, ServerContext } from '../calls/context.ts';
import type { HandledRequest } from '../calls/handler.ts';
import type { Placed } from './pagination.ts';
import type { ResourceTemplate, Variables } from './resource-template.ts';
import type { ToolTaskOptions } from '../tasks/task-options.ts';

/** Whether a caller may know of an entry. It decides both what is listed and what can be used. */
export type Visible = (caller: Caller) => boolean;

/** Scopes that a token needs; or a function of the arguments, which are not checked yet. */
export type NeededScopes = readonly string[] | ((args: JsonObject) => readonly string[]);

export interface Entry {
  /** Position in lists; kept when the entry changes, and never given to another. */
  readonly order: number;
  /** Position among the entries that share `order`: those of a source that differs by caller. */
  readonly index?: number;
  readonly enabled: boolean;
  readonly visible: Visible | undefined;
  /** The scopes that a token needs; absent where any token will do. */
  readonly scopes?: NeededScopes | undefined;
}

export interface ToolEntry extends Entry {
  readonly definition: Tool;
  readonly input: Schema | undefined;
  readonly output: Schema | undefined;
  /** Arguments that HTTP requests repeat in headers. */
  readonly mirrored: readonly MirroredParam[];
  /** Task options; absent for a tool that never runs as a task. */
  readonly task: ToolTaskOptions | undefined;
  /** Called with the parsed arguments, or without them where the tool has no input schema. */
  readonly run: (args: unknown, ctx: ServerContext) => unknown;
}

export interface ResourceEntry extends Entry {
  readonly definition: Resource;
  readonly hints: CacheHints | undefined;
  readonly read: (uri: URL, ctx: ServerContext) => unknown;
}

export interface TemplateEntry extends Entry {
  readonly definition: ResourceTemplateDefinition;
  readonly template: ResourceTemplate;
  readonly hints: CacheHints | undefined;
  readonly acceptsUnsafeVariables: boolean;
  readonly read: (uri: URL, variables: Variables, ctx: ServerContext) => unknown;
}

export interface PromptEntry extends Entry {
  readonly definition: Prompt;
  readonly args: Schema | undefined;
  readonly completers: ReadonlyMap<string, Suggest>;
  readonly run: (args: unknown, ctx: ServerContext) => unknown;
}

/** The arguments of a call that HTTP headers repeat. */
export function mirroredParams(
  registry: Registry | undefined,
  { method, params }: HandledRequest,
): readonly MirroredParam[] {
  return (method === 'tools/call' ? registry?.tools.get(String(params['name']))?.mirrored : undefined) ?? [];
}

/** An item at its place in a list; of an entry unless a template has listed it. */
export interface Listed extends Placed<object> {
  readonly entry?: Entry;
}

/** The enabled entries of a list, in order. */
export interface OrderedList {
  readonly items: readonly Listed[];
  /** Whether the list depends on the caller. */
  readonly varies: boolean;
}

/** Lists made on first use. Pages are cached by their start, so that made-up cursors cannot fill the memory. */
export interface ListCache {
  /** By method. */
  readonly ordered: Map<string, OrderedList>;
  /** Pages of lists that are the same for all callers. */
  readonly pages: Map<string, JsonObject>;
}

export interface ListHints {
  readonly tools?: CacheHints;
  readonly prompts?: CacheHints;
  readonly resources?: CacheHints;
  readonly resourceTemplates?: CacheHints;
}

/** Answers a request from the entries of a registry. */
export type Answer = (
  registry: Registry,
  request: HandledRequest,
  ctx: ServerContext,
) => JsonObject | Promise<JsonObject>;

/** The offers of a server with sources that differ by caller. */
export interface CallerOffers {
  /** Whether what a request of this method is answered from depends on its caller at present. */
  varies(method: string): boolean;
  /** Answers a request from everything that its caller is offered. */
  answer(given: Answer, request: HandledRequest, ctx: ServerContext): JsonObject | Promise<JsonObject>;
}

/** All entries of a server at one time. It never changes: a registration makes a new one, and running calls keep theirs. */
export interface Registry {
  readonly tools: ReadonlyMap<string, ToolEntry>;
  /** By URI. */
  readonly resources: ReadonlyMap<string, ResourceEntry>;
  /** By name. */
  readonly templates: ReadonlyMap<string, TemplateEntry>;
  readonly prompts: ReadonlyMap<string, PromptEntry>;
  readonly hints: ListHints;
  readonly pageSize: number;
  readonly ranksCompletions: boolean;
  /** The lists cached by `lists.ts`. */
  readonly lists: ListCache;
}

export function isOffered(entry: Entry | undefined, caller: Caller): boolean {
  return (
    entry !== undefined && entry.enabled && (entry.visible === undefined || atOnce(entry.visible(caller), 'visible'))
  );
}
