import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Annotations, ContentBlock } from '../../protocol/content.ts';
import type { Icon } from '../../protocol/implementation.ts';
import type { CacheHints } from '../../protocol/listing.ts';
import type { CallToolResult, TaskSupport, ToolAnnotations } from '../../protocol/tools.ts';
import type { GetPromptResult } from '../../protocol/prompts.ts';
import type { ReadResourceResult } from '../../protocol/resources.ts';
import type { AnySchema, SchemaOutput } from '../../schema/index.ts';
import type { InputRequired } from '../asking/input-required.ts';
import type { ServerContext } from '../calls/context.ts';
import type { NeededScopes, Visible } from './registry.ts';
import type { ToolTaskOptions } from '../tasks/task-options.ts';
import type { ResourceTemplate, Variables } from './resource-template.ts';
import type { Awaitable } from '../../runtime/awaitable.ts';

/** Members of every registration. */
interface Described {
  /** Name for people; hosts show `name` when absent. */
  title?: string;
  /** The purpose, in words for the model (tools) or the user (prompts, resources). */
  description?: string;
  /** Pictures that hosts may show beside it. */
  icons?: Icon[];
  /** Further members for hosts that know them; sent as given. */
  _meta?: JsonObject;
  /** Decides which callers may see and use it; all when absent. */
  visible?: Visible;
  /**
   * The scopes that a token needs to use it. The entry is listed all the same, so that a client can ask its user for more: over HTTP a call without these
   * scopes is answered with 403 and their names. A function chooses them by the arguments, which are not checked yet. To hide the entry as well, use
   * `visible`.
   */
  scopes?: NeededScopes;
}

/** The configuration of a tool beside its schemas. */
export interface ToolDetails extends Described {
  /** Hints for hosts, such as `{ readOnlyHint: true }` or `{ destructiveHint: false }`. A host may not trust them. */
  annotations?: ToolAnnotations;
  /** Whether calls may, must or cannot run as tasks; they cannot when absent. */
  execution?: { taskSupport?: TaskSupport };
  /** `'optional'`, `'required'` or `'forbidden'`: shorthand for `execution.taskSupport`. An object sets the ttl, the start mode and more as well. */
  task?: TaskSupport | ToolTaskOptions;
}

/**
 * The configuration of a tool. Its schemas are of type `AnySchema`; the constraint is wider, because comparing every schema with that union is most of
 * the cost of type-checking a file with many tools.
 */
export interface ToolConfig<
  In extends object | undefined = undefined,
  Out extends object | undefined = undefined,
> extends ToolDetails {
  /** Schema of the arguments: an object of schemas (`{ city: z.string() }`), a schema of zod, valibot or arktype, or `fromJsonSchema(…)`. No arguments when absent. */
  inputSchema?: In;
  /** Schema of `structuredContent`, which every result without `isError` then needs. */
  outputSchema?: Out;
}

/** The function of a tool. Without an input schema it gets only the context. */
export type ToolCallback<
  In extends object | undefined = undefined,
  Out extends object | undefined = undefined,
> = In extends object
  ? (args: SchemaOutput<In>, ctx: ServerContext) => Awaitable<ToolReturn<Out>>
  : (ctx: ServerContext) => Awaitable<ToolReturn<Out>>;

/** The result of a tool. With an output schema it has structured content that matches, or `isError`. */
export type ToolReturn<Out extends object | undefined = undefined> =
  | InputRequired
  | (Out extends object ? ResultOf<SchemaOutput<Out>> : UncheckedReturn);

/** A schema that says nothing to the compiler, such as a JSON Schema, is checked only when the tool runs. */
type ResultOf<Value> = Record<string, unknown> extends Value ? UncheckedReturn : StructuredResult<Value> | FailedResult;
type UncheckedReturn = CallToolResult | StructuredReturn;

/** A result whose structured content matches the output schema. Without content of its own, its JSON becomes the text. */
export interface StructuredResult<Value> {
  structuredContent: Value;
  content?: ContentBlock[];
  isError?: false;
  _meta?: JsonObject;
}

/** A result that tells the model what went wrong; it needs no structured content. */
export interface FailedResult {
  isError: true;
  content: ContentBlock[];
  _meta?: JsonObject;
}

/** A result with structured content alone: its JSON becomes the text. */
export interface StructuredReturn {
  structuredContent: unknown;
  content?: undefined;
  isError?: boolean;
  _meta?: JsonObject;
}

/** The configuration of a resource. */
export interface ResourceConfig extends Described {
  /** Type of the contents, such as `text/markdown`. */
  mimeType?: string;
  /** Size of the contents in bytes, for hosts that estimate how much of the context they take. */
  size?: number;
  /** For whom it is meant (`audience`), how important it is (`priority`) and when it last changed. */
  annotations?: Annotations;
  /** How long the contents may be reused. */
  cache?: CacheHints;
  /** Lists a URI that RFC 3986 does not allow, such as a relative one, instead of throwing. Clients may refuse it, and cannot read a relative one. */
  acceptInvalidUri?: boolean;
}

/** The configuration of the resources of a template. */
export interface TemplateConfig extends Omit<ResourceConfig, 'size'> {
  /** Accepts variables that climb out of a folder or hide a separator. Only for handlers that never use them as paths. */
  acceptUnsafeVariables?: boolean;
}

/** Reads a resource. `undefined` means that there is no such resource. */
export type ReadResourceCallback = (
  uri: URL,
  ctx: ServerContext,
) => Awaitable<ReadResourceResult | InputRequired | undefined>;
export type ReadResourceTemplateCallback = (
  uri: URL,
  variables: Variables,
  ctx: ServerContext,
) => Awaitable<ReadResourceResult | InputRequired | undefined>;

/** The configuration of a prompt. */
export interface PromptConfig<Args extends object | undefined = undefined> extends Described {
  /** Schema of the arguments, which are texts on the wire: an object of schemas, such as `{ code: z.string() }`. No arguments when absent. */
  argsSchema?: Args;
}

/** The function of a prompt. Without arguments it gets only the context. */
export type PromptCallback<Args extends object | undefined = undefined> = Args extends object
  ? (args: SchemaOutput<Args>, ctx: ServerContext) => Awaitable<GetPromptResult | InputRequired>
  : (ctx: ServerContext) => Awaitable<GetPromptResult | InputRequired>;

/** The handle of a registered entry. Changes are announced to clients that asked for them. */
interface Registered {
  enabled: boolean;
  enable(): void;
  disable(): void;
  remove(): void;
}

/** The handle of a tool. Assigning to a member of its configuration changes it, as `update` does for several at once. */
export interface RegisteredTool
  extends Registered, Omit<ToolConfig<AnySchema | undefined, AnySchema | undefined>, 'inputSchema' | 'outputSchema'> {
  readonly name: string;
  inputSchema?: AnySchema | undefined;
  outputSchema?: AnySchema | undefined;
  update(changes: ToolChanges): void;
}

/** `name: null` removes the tool. */
export interface ToolChanges extends Partial<
  Omit<ToolConfig<AnySchema | undefined, AnySchema | undefined>, 'inputSchema'>
> {
  name?: string | null;
  paramsSchema?: AnySchema | undefined;
  callback?: (...args: never[]) => Awaitable<ToolReturn>;
  enabled?: boolean;
}

/** The handle of a resource. */
export interface RegisteredResource extends Registered, ResourceConfig {
  readonly name: string;
  readonly uri: string;
  update(
    changes: Partial<ResourceConfig> & {
      name?: string;
      uri?: string | null;
      /** All members of the configuration at once. */
      metadata?: ResourceConfig;
      callback?: ReadResourceCallback;
      enabled?: boolean;
    },
  ): void;
}

/** The handle of the resources of a template. */
export interface RegisteredResourceTemplate extends Registered, TemplateConfig {
  readonly name: string;
  readonly resourceTemplate: ResourceTemplate;
  update(
    changes: Partial<TemplateConfig> & {
      name?: string | null;
      template?: ResourceTemplate;
      /** All members of the configuration at once. */
      metadata?: TemplateConfig;
      callback?: ReadResourceTemplateCallback;
      enabled?: boolean;
    },
  ): void;
}

/** The handle of a prompt. */
export interface RegisteredPrompt extends Registered, Omit<PromptConfig<AnySchema | undefined>, 'argsSchema'> {
  readonly name: string;
  argsSchema?: AnySchema | undefined;
  update(
    changes: Partial<PromptConfig<AnySchema | undefined>> & {
      name?: string | null;
      callback?: (...args: never[]) => Awaitable<GetPromptResult | InputRequired>;
      enabled?: boolean;
    },
  ): void;
}
