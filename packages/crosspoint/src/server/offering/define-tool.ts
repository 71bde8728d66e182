import type { UnstructuredResult } from '../../protocol/server-surface.ts';
import type { SchemaOutput } from '../../schema/index.ts';
import type { InputRequired } from '../asking/input-required.ts';
import type { ServerContext } from '../calls/context.ts';
import type { McpServer } from '../mcp-server.ts';
import type { FailedResult, RegisteredTool, StructuredResult, ToolConfig } from './registrations.ts';

/** A tool that belongs to no server yet. Its type knows its name and its schemas. */
export interface ToolDefinition<
  Name extends string = string,
  In extends object | undefined = object | undefined,
  Out extends object | undefined = object | undefined,
> {
  readonly name: Name;
  readonly config: ToolConfig<In, Out>;
  register(server: Pick<McpServer, 'registerTool'>): RegisteredTool;
}

/** The result of a defined tool. Structured content needs an output schema, so that callers know its type. */
export type DefinedReturn<Out extends object | undefined> =
  | InputRequired
  | (Out extends object ? StructuredResult<SchemaOutput<Out>> | FailedResult : UnstructuredResult);

export type DefinedToolCallback<In extends object | undefined, Out extends object | undefined> = In extends object
  ? (args: SchemaOutput<In>, ctx: ServerContext) => DefinedReturn<Out> | Promise<DefinedReturn<Out>>
  : (ctx: ServerContext) => DefinedReturn<Out> | Promise<DefinedReturn<Out>>;

/**
 * Defines a tool for `defineServer`, or for `register` on any server. Nothing is checked before that.
 *
 * ```ts
 * const add = defineTool('add', { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } }, ({ a, b }) => ({
 *   structuredContent: { sum: a + b },
 * }));
 * ```
 */
export function defineTool<
  const Name extends string,
  In extends object | undefined = undefined,
  Out extends object | undefined = undefined,
>(name: Name, config: ToolConfig<In, Out>, callback: DefinedToolCallback<In, Out>): ToolDefinition<Name, In, Out> {
  return { name, config, register: (server) => server.registerTool(name, config, callback as never) };
}
