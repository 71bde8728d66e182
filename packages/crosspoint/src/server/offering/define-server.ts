import type { Implementation } from '../../protocol/implementation.ts';
import type { HasSurface, UnstructuredResult } from '../../protocol/server-surface.ts';
import type { SchemaInput, SchemaOutput } from '../../schema/index.ts';
import type { PromptDefinition } from './define-prompt.ts';
import type { ResourceDefinition } from './define-resource.ts';
import type { ToolDefinition } from './define-tool.ts';
import { McpServer, type McpServerOptions } from '../mcp-server.ts';

/** The part of a definition that a server needs. */
type Named = { readonly name: string; readonly config: object; register(server: McpServer): unknown };
type Readable = Omit<ResourceDefinition, '~uris'>;

/** The parts of a server for `defineServer`. */
export interface ServerDefinition<
  Tools extends readonly Named[],
  Prompts extends readonly Named[],
  Resources extends readonly Readable[],
> {
  /** Name and version of the server. */
  info: Implementation;
  /** Tools, made by `defineTool`. */
  tools?: Tools;
  /** Prompts, made by `definePrompt`. */
  prompts?: Prompts;
  /** Resources, made by `defineResource`. */
  resources?: Resources;
  /** Options of the server. */
  options?: McpServerOptions;
}

/** A server whose type names its tools, prompts and resources: `client.as<typeof server>()` reads it. */
export type DefinedServer<Tools = readonly [], Prompts = readonly [], Resources = readonly []> = McpServer &
  HasSurface<DefinedSurface<Tools, Prompts, Resources>>;

/** The surface of the definitions, for a client. Each member is computed when it is used. */
export interface DefinedSurface<Tools, Prompts, Resources> {
  readonly tools: { readonly [Tool in Member<Tools> as NameOf<Tool>]: DefinedToolSurface<Tool> };
  readonly prompts: { readonly [Prompt in Member<Prompts> as NameOf<Prompt>]: PromptArguments<Prompt> };
  readonly resources: Member<Resources> extends ResourceDefinition<infer Uri> ? Uri : never;
}

interface DefinedToolSurface<Tool> {
  readonly args: Tool extends ToolDefinition<string, infer In, infer _Out> ? Given<In> : never;
  readonly result: Tool extends ToolDefinition<string, infer _In, infer Out> ? Taken<Out> : never;
}

type Member<List> = List extends readonly (infer One)[] ? One : never;
type NameOf<Definition> = Definition extends { readonly name: infer Name extends string } ? Name : never;
type Given<In> = In extends object ? SchemaInput<In> : undefined;
type Taken<Out> = Out extends object ? SchemaOutput<Out> : UnstructuredResult;

type PromptArguments<Prompt> =
  Prompt extends PromptDefinition<string, infer Args>
    ? Args extends object
      ? Texts<SchemaInput<Args>>
      : undefined
    : never;

/** Prompt arguments are strings on the wire, whatever type the schema turns them into. */
type Texts<Args> = { [Name in keyof Args]: Args[Name] extends string | undefined ? Args[Name] : string };

/**
 * Makes a server of definitions. It is an `McpServer`: connect it, serve it, register more on it. Later registrations are not part of
 * its type.
 *
 * ```ts
 * export const server = defineServer({ info: { name: 'calculator', version: '1.0.0' }, tools: [add] });
 * // elsewhere: client.as<typeof server>().call('add', { a: 1, b: 2 })
 * ```
 */
export function defineServer<
  const Tools extends readonly Named[] = readonly [],
  const Prompts extends readonly Named[] = readonly [],
  const Resources extends readonly Readable[] = readonly [],
>(definition: ServerDefinition<Tools, Prompts, Resources>): DefinedServer<Tools, Prompts, Resources> {
  const { info, tools = [], prompts = [], resources = [], options } = definition;
  const server = new McpServer(info, options);
  for (const part of [...tools, ...prompts, ...resources]) part.register(server);
  return server;
}
