import type { JsonObject } from '../../jsonrpc/message.ts';
import type { CompleteParams, CompleteResult } from '../../protocol/completion.ts';
import type { GetPromptResult, Prompt } from '../../protocol/prompts.ts';
import type { ReadResourceResult, Resource, ResourceTemplateDefinition } from '../../protocol/resources.ts';
import type { CallToolResult, Tool } from '../../protocol/tools.ts';
import type { ServerContext } from '../calls/context.ts';

/** All offers of a source at one time, under its own names. */
export interface SourceOffers {
  readonly tools?: readonly Tool[];
  readonly resources?: readonly Resource[];
  readonly resourceTemplates?: readonly ResourceTemplateDefinition[];
  readonly prompts?: readonly Prompt[];
}

export type SourceChange =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string };

/**
 * A source of tools, resources and prompts that a server can offer as its own: `mount(server, prefix, source)`. An offer without its function is
 * refused when it is used. `ctx` is the context of the call on the server: signal, progress, log and questions reach the caller.
 */
export interface ServerSource {
  list(): SourceOffers | Promise<SourceOffers>;
  callTool?:
    | ((call: { name: string; arguments: JsonObject }, ctx: ServerContext) => CallToolResult | Promise<CallToolResult>)
    | undefined;
  readResource?:
    | ((call: { uri: string }, ctx: ServerContext) => ReadResourceResult | Promise<ReadResourceResult>)
    | undefined;
  getPrompt?:
    | ((
        call: { name: string; arguments: Record<string, string> },
        ctx: ServerContext,
      ) => GetPromptResult | Promise<GetPromptResult>)
    | undefined;
  complete?: ((params: CompleteParams) => CompleteResult | Promise<CompleteResult>) | undefined;
  /** Reports changes until the returned function is called. */
  watch?: ((onchange: (change: SourceChange) => void) => () => void) | undefined;
  /** Called when the source is unmounted. */
  close?: (() => void | Promise<void>) | undefined;
}

/** The result of `mount`. */
export interface Mounted {
  readonly prefix: string;
  /** Reads the offers of the source again. */
  refresh(): Promise<void>;
  /** Removes all offers of the source from the server, and closes the source. Running calls go on. */
  unmount(): Promise<void>;
}
