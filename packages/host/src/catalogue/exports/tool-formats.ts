import type { JsonObject } from '../../values/json.ts';
import type { CatalogueTool } from '../catalogue.ts';
import { shapeSchema, type ShapedSchema } from './shape-schema.ts';

type InputSchema = ShapedSchema['schema'];

/** A change that a format needed, for those who wonder why a tool looks different there. */
export interface ExportChange {
  readonly tool: string;
  readonly text: string;
}

/** Tools in the format of one API. */
export interface ExportedTools<Format> {
  readonly tools: Format;
  readonly changes: readonly ExportChange[];
}

/** A tool as Anthropic's Messages API takes it. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: { type: 'object'; [key: string]: unknown };
}

/** A tool as OpenAI's Chat Completions API takes it. */
export interface OpenAiChatTool {
  type: 'function';
  function: { name: string; description?: string; parameters: Record<string, unknown> };
}

/** A tool as OpenAI's Responses API takes it. */
export interface OpenAiTool {
  type: 'function';
  name: string;
  description?: string;
  parameters: Record<string, unknown>;
  strict: false;
}

/** The longest description that OpenAI's APIs take. */
const OPENAI_DESCRIPTION = 1024;

/**
 * Tools in the format of Anthropic's Messages API.
 *
 * ```ts
 * const { tools } = toAnthropicTools(host.catalogue.tools());
 * await anthropic.messages.create({ model, max_tokens: 1024, messages, tools });
 * ```
 */
export function toAnthropicTools(tools: readonly CatalogueTool[]): ExportedTools<AnthropicTool[]> {
  return exported(tools, ({ name, description, schema }) => ({
    name,
    ...(description !== undefined && { description }),
    input_schema: schema,
  }));
}

/** Tools in the format of OpenAI's Chat Completions API. */
export function toOpenAiChatTools(tools: readonly CatalogueTool[]): ExportedTools<OpenAiChatTool[]> {
  return exported(
    tools,
    ({ name, description, schema }) => ({
      type: 'function' as const,
      function: { name, ...(description !== undefined && { description }), parameters: schema },
    }),
    OPENAI_DESCRIPTION,
  );
}

/** Tools in the format of OpenAI's Responses API. */
export function toOpenAiTools(tools: readonly CatalogueTool[]): ExportedTools<OpenAiTool[]> {
  return exported(
    tools,
    ({ name, description, schema }) => ({
      type: 'function' as const,
      name,
      ...(description !== undefined && { description }),
      parameters: schema,
      strict: false as const,
    }),
    OPENAI_DESCRIPTION,
  );
}

/** A tool as the AI SDK takes it; `Schema` is the type that its `jsonSchema` gives. */
export interface AiSdkTool<Schema> {
  description?: string;
  title?: string;
  inputSchema: Schema;
  execute?: (args: unknown, options: { readonly abortSignal?: AbortSignal | undefined }) => Promise<unknown>;
}

export interface AiSdkOptions<Schema> {
  /** `jsonSchema` of the package `ai`. */
  readonly jsonSchema: (schema: InputSchema) => Schema;
  /** Calls a tool by its name in the catalogue; without it the tools have no `execute`. */
  readonly call?: (
    name: string,
    args: JsonObject,
    options: { readonly signal?: AbortSignal | undefined },
  ) => Promise<unknown>;
}

/**
 * Tools in the format of the AI SDK.
 *
 * ```ts
 * import { generateText, jsonSchema } from 'ai';
 * const { tools } = toAiSdkTools(host.catalogue.tools(), { jsonSchema, call: (name, args, options) => host.callTool(name, args, options) });
 * await generateText({ model, prompt, tools });
 * ```
 */
export function toAiSdkTools<Schema>(
  given: readonly CatalogueTool[],
  { jsonSchema, call }: AiSdkOptions<Schema>,
): ExportedTools<Record<string, AiSdkTool<Schema>>> {
  const { tools, changes } = exported(given, ({ name, title, description, schema }): [string, AiSdkTool<Schema>] => [
    name,
    {
      ...(description !== undefined && { description }),
      ...(title !== undefined && { title }),
      inputSchema: jsonSchema(schema),
      ...(call !== undefined && {
        execute: (args, { abortSignal }) => call(name, args as JsonObject, { signal: abortSignal }),
      }),
    },
  ]);
  return { tools: Object.fromEntries(tools), changes };
}

interface Shaped {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly schema: InputSchema;
}

function exported<Format>(
  tools: readonly CatalogueTool[],
  write: (shaped: Shaped) => Format,
  maxDescription: number = Infinity,
): ExportedTools<Format[]> {
  const changes: ExportChange[] = [];
  const written = tools.map(({ name, tool }) => {
    const shaped = shapeSchema(tool.inputSchema as JsonObject);
    for (const text of shaped.changes) changes.push({ tool: name, text });
    const isLong = (tool.description?.length ?? 0) > maxDescription;
    if (isLong) changes.push({ tool: name, text: `The description is cut after ${maxDescription} characters.` });
    const description = isLong ? `${tool.description?.slice(0, maxDescription - 1)}…` : tool.description;
    return write({ name, title: tool.title, description, schema: shaped.schema });
  });
  return { tools: written, changes };
}
