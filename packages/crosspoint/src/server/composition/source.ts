import type { JsonObject } from '../../jsonrpc/message.ts';
import type { CompleteParams, CompleteResult } from '../../protocol/completion.ts';
import type { GetPromptResult, Prompt } from '../../protocol/prompts.ts';
import type { ReadResourceResult, Resource, ResourceTemplateDefinition } from '../../protocol/resources.ts';
import type { CallToolResult, Tool } from '../../protocol/tools.ts';
import type { ServerContext } from '../calls/context.ts';

/** Everything that a source offers at one moment, under its own names. */
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
 * Something whose tools, resources and prompts a server can offer as its own: `server.mount(prefix, source)`. What is offered without the
 * function that answers for it is refused when it is used. `ctx` is that of the call on the server: its signal, progress, log and questions are the caller's.
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
  /** Tells of changes until the function it returns is called. */
  watch?: ((onchange: (change: SourceChange) => void) => () => void) | undefined;
  /** It is not mounted any more. */
  close?: (() => void | Promise<void>) | undefined;
}

/** What `mount` gives: the way to undo it. */
export interface Mounted {
  readonly prefix: string;
  /** Looks again what the source offers. */
  refresh(): Promise<void>;
  /** Takes everything of the source off the server, and closes the source. Calls that run go on. */
  unmount(): Promise<void>;
}
