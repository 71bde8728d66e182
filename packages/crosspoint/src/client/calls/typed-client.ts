import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { GetPromptResult } from '../../protocol/prompts.ts';
import type { ReadResourceResult } from '../../protocol/resources.ts';
import type { HasSurface, ServerSurface, SurfaceOf, ToolSurface } from '../../protocol/server-surface.ts';
import type { CallToolResult } from '../../protocol/tools.ts';
import type { TransportClient } from '../client.ts';
import type { CacheableRequestOptions, CallToolOptions, RequestOptions } from './request-options.ts';

/** The argument is optional where a tool or prompt requires none. */
type Given<Args, Options> = [Args] extends [undefined]
  ? [args?: undefined, options?: Options]
  : object extends Args
    ? [args?: Args, options?: Options]
    : [args: Args, options?: Options];

/** Stands in place of every name of a server whose type has none, so that the compiler's message says what to do. */
type NoSurface = 'The type of this server names no tools, prompts or resources: make the server with defineServer()';

type SurfaceIn<T> = '~surface' extends keyof T ? SurfaceOf<T & HasSurface> : undefined;
type ToolsOf<T> =
  SurfaceIn<T> extends Pick<ServerSurface, 'tools'> ? SurfaceIn<T>['tools'] : Record<NoSurface, ToolSurface>;
type PromptsOf<T> =
  SurfaceIn<T> extends Pick<ServerSurface, 'prompts'> ? SurfaceIn<T>['prompts'] : Record<NoSurface, unknown>;
type UrisOf<T> = SurfaceIn<T> extends Pick<ServerSurface, 'resources'> ? SurfaceIn<T>['resources'] : NoSurface;

type Part<Tool, Name extends keyof ToolSurface> = Tool extends ToolSurface ? Tool[Name] : never;

/** A client typed by what its server offers. */
export interface TypedClient<T extends object> {
  /**
   * Calls a tool. Resolves with the structured content of a tool that has an output schema, and with the whole result of any other. Rejects
   * with `ToolCallError` when the result has `isError`.
   */
  call<Name extends keyof ToolsOf<T> & string>(
    name: Name,
    ...rest: Given<Part<ToolsOf<T>[Name], 'args'>, CallToolOptions>
  ): Promise<Part<ToolsOf<T>[Name], 'result'>>;
  prompt<Name extends keyof PromptsOf<T> & string>(
    name: Name,
    ...rest: Given<PromptsOf<T>[Name], RequestOptions>
  ): Promise<GetPromptResult>;
  read(uri: UrisOf<T>, options?: CacheableRequestOptions): Promise<ReadResourceResult>;
  /** The client underneath, for everything else. */
  readonly client: TransportClient;
}

/** A tool result with `isError`. The message holds its text; `result` is the complete result. */
export class ToolCallError extends Error {
  override readonly name: string = 'ToolCallError';
  readonly tool: string;
  readonly result: CallToolResult;

  constructor(tool: string, result: CallToolResult) {
    super(`The tool "${tool}" failed: ${textOf(result) || 'it did not say why'}`);
    this.tool = tool;
    this.result = result;
  }
}

/** Adds types only: they come from the server's source and are not checked at run time. */
export function typedView<T extends object>(client: TransportClient): TypedClient<T> {
  const view: Untyped = {
    client,
    call: async (name, args, options) => {
      const params = args === undefined ? { name } : { name, arguments: args };
      const result = await client.callTool(params, options);
      if (result.isError === true) throw new ToolCallError(name, result);
      return outcomeOf(result, client);
    },
    prompt: (name, args, options) =>
      client.getPrompt(args === undefined ? { name } : { name, arguments: args as Record<string, string> }, options),
    read: (uri, options) => client.readResource({ uri }, options),
  };
  return view as object as TypedClient<T>;
}

interface Untyped {
  readonly client: TransportClient;
  readonly call: (name: string, args?: JsonObject, options?: CallToolOptions) => Promise<unknown>;
  readonly prompt: (name: string, args?: JsonObject, options?: RequestOptions) => Promise<GetPromptResult>;
  readonly read: (uri: string, options?: CacheableRequestOptions) => Promise<ReadResourceResult>;
}

/** A revision that cannot carry structured content carries its JSON as the only text block. */
function outcomeOf(result: CallToolResult, { revision }: TransportClient): unknown {
  if (result.structuredContent !== undefined) return result.structuredContent;
  const carries = revision?.structuredContent ?? 'any';
  if (carries === 'any' || result.content.length !== 1) return result;
  const value = parsed(textOf(result));
  const isLost = carries === 'none' ? isJsonObject(value) || Array.isArray(value) : Array.isArray(value);
  return isLost ? value : result;
}

function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
