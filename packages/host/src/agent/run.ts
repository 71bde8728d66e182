import type { CallToolResult, Progress } from 'crosspoint/client';
import type { Store } from 'crosspoint/stores';
import type { AuditWriter } from '../audit/event.ts';
import type { CallOptions } from '../calls/tool-caller.ts';
import type { Catalogue, CatalogueTool } from '../catalogue/catalogue.ts';
import type { Approvals } from '../consent/approvals.ts';
import type { Policy } from '../consent/policy.ts';
import type { Inbox } from '../inbox/inbox.ts';
import type { InboxItem } from '../inbox/item.ts';
import type { ModelMessage, ModelStopReason, ModelUsage, ResultBlock } from '../models/model.ts';
import type { HostServers } from '../servers/host-servers.ts';
import type { JsonObject } from '../values/json.ts';

/** The most that a run may spend, over all its parts when it is resumed. `Infinity` lifts a limit. */
export interface Budget {
  /** Requests to the model; 50 when absent. */
  readonly rounds?: number | undefined;
  /** Tokens sent and received; without a limit when absent. */
  readonly tokens?: number | undefined;
  /** US dollars; without a limit when absent. The prices of the model have to be known. The last answer may go beyond it. */
  readonly cost?: number | undefined;
  /** Milliseconds that the run takes, waiting for people included; without a limit when absent. */
  readonly ms?: number | undefined;
}

export interface RunOptions {
  /** The id of a new run, under which it can be resumed; a random one when absent. */
  readonly id?: string | undefined;
  /** The name of the model; that of the agent when absent. */
  readonly model?: string | undefined;
  /** Words to the model before the conversation; those of the agent when absent. */
  readonly system?: string | undefined;
  /** Members that are absent are those of the agent. */
  readonly budget?: Budget | undefined;
  /** Names the conversation that the run belongs to, for rules about what may flow from one server to another; the run alone when absent. */
  readonly conversation?: string | undefined;
  /** Cancels the run. */
  readonly signal?: AbortSignal | undefined;
}

export interface ResumeOptions extends Pick<RunOptions, 'model' | 'budget' | 'signal'> {
  /** Said to the model before it goes on. */
  readonly messages?: string | readonly ModelMessage[] | undefined;
}

/** A call of a tool that the model wants. */
export interface RunCall {
  /** `r1`, `r2`, …: the result goes by this name in the run. */
  readonly ref: string;
  /** The id of the call in the host, its audit log and its inbox. */
  readonly id: string;
  readonly tool: string;
  /** Absent for tools of the agent itself, and for tools that do not exist. */
  readonly server?: string;
  readonly arguments: JsonObject;
}

/**
 * Why a run ended.
 * - `done`: the model has said everything.
 * - `refused`: the model, or its provider, does not answer this.
 * - `max-tokens`: an answer was cut at its limit of tokens.
 * - `rounds`, `tokens`, `cost`, `time`: the budget is used up.
 * - `context-full`: the conversation is too long for the model, and nothing is left to shorten.
 * - `cancelled`: by `cancel`, a signal, or because the host closed.
 * - `taken-over`: the run was resumed elsewhere, and goes on there.
 * - `failed`: see `error`.
 */
export type RunEndReason =
  | 'done'
  | 'refused'
  | 'max-tokens'
  | 'rounds'
  | 'tokens'
  | 'cost'
  | 'time'
  | 'context-full'
  | 'cancelled'
  | 'taken-over'
  | 'failed';

export interface RunResult {
  readonly id: string;
  readonly reason: RunEndReason;
  /** The reason in a sentence, for people. */
  readonly detail: string;
  readonly error?: Error;
  /** The words of the last answer. */
  readonly text: string;
  /** The whole conversation, as it goes to the model. */
  readonly messages: readonly ModelMessage[];
  /** The sum of all answers. `cost` is that of the answers whose prices are known. */
  readonly usage: ModelUsage;
  readonly rounds: number;
}

/** A step of a run. */
export type RunEvent =
  | { readonly type: 'begin'; readonly id: string; readonly model: string; readonly isResumed: boolean }
  /** More words of the model. */
  | { readonly type: 'text'; readonly text: string }
  /** More thoughts of the model. */
  | { readonly type: 'reasoning'; readonly text: string }
  /** The model is asked again after `waitMs`: the words of this answer so far do not count. */
  | { readonly type: 'again'; readonly error: Error; readonly waitMs: number }
  /** An answer is whole. */
  | { readonly type: 'message'; readonly message: ModelMessage; readonly stopReason: ModelStopReason }
  /** The sum of all answers so far. */
  | { readonly type: 'usage'; readonly usage: ModelUsage; readonly rounds: number }
  | { readonly type: 'call'; readonly call: RunCall }
  /** A call, or its result, waits for a person: answer the item with `host.inbox.answer`. */
  | { readonly type: 'approval-wanted'; readonly call?: RunCall; readonly item: InboxItem<'call' | 'result'> }
  /** A server asks something while it works for this run. `call` is absent where the server does not say for which. */
  | { readonly type: 'question'; readonly call?: RunCall; readonly item: InboxItem }
  /** An item that was told is over. */
  | { readonly type: 'answered'; readonly item: InboxItem; readonly outcome: 'answered' | 'withdrawn' | 'expired' }
  | { readonly type: 'progress'; readonly call: RunCall; readonly progress: Progress }
  /** A call takes long: the model is told, and goes on without its result. */
  | { readonly type: 'goes-on'; readonly call: RunCall }
  | {
      readonly type: 'result';
      readonly call: RunCall;
      /** As the model is given it. */
      readonly content: readonly ResultBlock[];
      readonly isError: boolean;
      /** As the server gave it; absent where it gave none. */
      readonly result?: CallToolResult;
    }
  /** Older results were shortened, because the conversation did not fit the model any more. */
  | { readonly type: 'shortened'; readonly results: number; readonly tokens: number }
  | { readonly type: 'end'; readonly result: RunResult };

/**
 * An agent at work. Its events are read once, with `for await`; reading is not needed for it to go on.
 *
 * ```ts
 * const run = host.run('Which of my issues are about login?');
 * for await (const event of run) if (event.type === 'text') process.stdout.write(event.text);
 * const { reason, text, usage } = await run.result;
 * ```
 */
export interface Run extends AsyncIterable<RunEvent> {
  readonly id: string;
  /** Resolves when the run has ended, whatever the reason. Never rejects. */
  readonly result: Promise<RunResult>;
  /** Ends the run. Calls are cancelled at their servers. It can be resumed. */
  cancel(reason?: string): void;
}

/** The tools that a model sees in one run. `ToolView` of `@crosspoint/host/search` is one. */
export interface AgentView {
  tools(): readonly CatalogueTool[] | Promise<readonly CatalogueTool[]>;
  /** Whether the view answers calls by this name itself. */
  answers?(name: string): boolean;
  answer?(args: unknown): CallToolResult | Promise<CallToolResult>;
  /** The part of it that outlives the process, as JSON. */
  readonly state?: unknown;
}

/** The parts of a `Host` that an agent uses. */
export interface AgentHost {
  readonly catalogue: Catalogue;
  readonly inbox: Inbox;
  readonly audit: AuditWriter;
  readonly approvals: Approvals;
  readonly servers: HostServers;
  readonly policy: Policy;
  callTool(name: string, args?: JsonObject, options?: CallOptions): Promise<CallToolResult>;
  settled(signal?: AbortSignal): Promise<void>;
  /** Runs the work as a span of a timeline. Absent where there is none. */
  span?<T>(kind: string, facts: JsonObject, work: (span: AgentSpan) => T | Promise<T>): Promise<T>;
}

/** A span of a timeline that takes further facts. */
export interface AgentSpan {
  set(facts: JsonObject): void;
}

/** The host as the agent sees it. */
export interface AgentPort {
  readonly host: AgentHost;
  readonly store: Store;
  isTrusted(server: string): boolean;
  /** A result of the server is in the conversation. */
  influenced(conversation: string, server: string): void;
}

/** An agent of one host. */
export interface OpenAgent {
  run(messages: string | readonly ModelMessage[], options?: RunOptions): Run;
  resume(id: string, options?: ResumeOptions): Run;
  /** Cancels every run. Resolves when they have ended. */
  close(): Promise<void>;
}

/** The part of a host that runs a model with tools: `agent({ … })` of `@crosspoint/host/agent`. */
export interface AgentPart {
  open(port: AgentPort): OpenAgent;
}
