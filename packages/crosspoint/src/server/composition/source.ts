import type { JsonObject } from '../../jsonrpc/message.ts';
import type { CompleteParams, CompleteResult } from '../../protocol/completion.ts';
import type { GetPromptResult, Prompt } from '../../protocol/prompts.ts';
import type { ReadResourceResult, Resource, ResourceTemplateDefinition } from '../../protocol/resources.ts';
import type { CallToolResult, Tool } from '../../protocol/tools.ts';
import type { InputRequired } from '../asking/input-required.ts';
import type { ServerContext } from '../calls/context.ts';
import type { ChangeAudience } from '../changes/listening.ts';
import type { TaskAnswer } from './task-answer.ts';

/** All offers of a source at one time, under its own names. */
export interface SourceOffers {
  readonly tools?: readonly Tool[];
  readonly resources?: readonly Resource[];
  readonly resourceTemplates?: readonly ResourceTemplateDefinition[];
  readonly prompts?: readonly Prompt[];
}

export type SourceChange = ChangeAudience &
  ({ readonly kind: 'tools' | 'prompts' | 'resources' } | { readonly kind: 'resource'; readonly uri: string });

type Answered<T> = T | Promise<T>;

/**
 * A source of tools, resources and prompts that a server can offer as its own: `mount(server, prefix, source)`. It has either `list` or `offersTo`. An offer
 * without its function is refused when it is used. `ctx` is the context of the call on the server: signal, progress, log and questions reach the caller.
 */
export interface ServerSource {
  /** The offers, which are the same for every caller. Asked when it is mounted, and again after every change. */
  list?: (() => Answered<SourceOffers>) | undefined;
  /**
   * The offers to one caller, in place of `list`; asked with every request that they decide. The same object means the same offers, which are then not
   * prepared again. An error leaves the source out of the lists of this caller; a `ProtocolError` is what a call gets.
   */
  offersTo?: ((ctx: ServerContext) => Answered<SourceOffers>) | undefined;
  /** Answers with a result, with questions (`inputRequired`), or with a task that the source has (`asTask`). */
  callTool?:
    | ((
        call: { name: string; arguments: JsonObject },
        ctx: ServerContext,
      ) => Answered<CallToolResult | InputRequired | TaskAnswer>)
    | undefined;
  readResource?:
    | ((call: { uri: string }, ctx: ServerContext) => Answered<ReadResourceResult | InputRequired>)
    | undefined;
  getPrompt?:
    | ((
        call: { name: string; arguments: Record<string, string> },
        ctx: ServerContext,
      ) => Answered<GetPromptResult | InputRequired>)
    | undefined;
  complete?: ((params: CompleteParams, ctx: ServerContext) => Answered<CompleteResult>) | undefined;
  /**
   * Reports changes until the returned function is called. A change with a `group` is told to that group alone; the group of a caller is its principal, unless
   * `byCaller` names another.
   */
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
