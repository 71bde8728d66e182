import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallToolResult, ClientMiddleware } from 'crosspoint/client';
import type { AuditWriter } from '../audit/event.ts';
import type { CallOptions } from '../calls/tool-caller.ts';
import type { HostEvent } from '../host-event.ts';
import type { JsonObject } from '../values/json.ts';

/**
 * The facts of a span. `name` says in a few words which one it is, `server` which server it concerns; both are absent where there is no better word
 * than the kind. Secrets in the other members are masked, and long texts are cut.
 */
export interface SpanFacts extends JsonObject {
  readonly name?: string | undefined;
  readonly server?: string | undefined;
}

/** A span that has begun. None of its functions ever throws. */
export interface OpenSpan {
  /** Something that happened during the span. */
  event(name: string, facts?: JsonObject): void;
  /** Adds to the facts. */
  set(facts: JsonObject): void;
  /** Ends the span; as failed, where there is an error. Only the first call counts. */
  end(error?: unknown): void;
}

/** Something that takes part in the record without being a span of the work that runs: a login, a connection. */
export interface SpanStart {
  /** One word, such as `login`. */
  readonly kind: string;
  readonly facts: SpanFacts;
}

/** A call of a tool that the program makes. */
export interface TracedCall {
  readonly tool: string;
  readonly server: string | undefined;
  readonly arguments: JsonObject;
  readonly options: CallOptions;
}

/** The part of a timeline that the parts of a host report to. Without a timeline they report to nothing. */
export interface Tracing {
  /** Begins a span under the work that runs now; under its server, where none does. */
  begin(start: SpanStart): OpenSpan;
  /** Runs the work as a span. Everything that it leads to is under it. */
  span<T>(kind: string, facts: SpanFacts, work: (span: OpenSpan) => T | Promise<T>): Promise<T>;
  /** Runs a call as a span of its run or conversation. */
  call(call: TracedCall, carryOut: (options: CallOptions) => Promise<CallToolResult>): Promise<CallToolResult>;
  /** Begins to follow a host: the writer takes its place. A timeline follows one host. */
  follow(audit: AuditWriter, knownSecrets: () => Iterable<string>): AuditWriter;
  /** Something that the host tells programs. */
  happened(event: HostEvent): void;
  /** Follows a client of a server: its requests, the requests of the server, and the end of the connection. */
  clientOf(server: string): ClientMiddleware;
  /** A `fetch` whose exchanges with the server at this address, and with its authorization server, are spans. */
  fetchOf(server: string, address: string, send: typeof fetch): typeof fetch;
  endConversation(conversation: string): void;
  /** The host has closed: everything that is still open ends. */
  close(): void;
}

/** The work that runs: the timeline, and the id of the span. */
export interface Ambient {
  readonly tracing: Tracing;
  readonly span: string;
}

/** Nothing is kept here unless there is a timeline. */
export const ambient: AsyncLocalStorage<Ambient> = new AsyncLocalStorage();

export function missingTimeline(): TypeError {
  return new TypeError(
    "This host keeps no timeline: import { timeline } from '@crosspoint/host/timeline', and make it with new Host({ …, timeline: timeline() }).",
  );
}

/** Takes reports and keeps nothing. */
export const NO_SPAN: OpenSpan = { event() {}, set() {}, end() {} };

/**
 * Runs the work as a span of the work around it, where a timeline follows that; otherwise simply runs it. For parts that have no host at hand.
 *
 * ```ts
 * const answer = await inSpan('model', { name: model }, async (span) => {
 *   const given = await provider.complete(request, { signal });
 *   span.set({ inputTokens: given.usage.inputTokens });
 *   return given;
 * });
 * ```
 */
export async function inSpan<T>(kind: string, facts: SpanFacts, work: (span: OpenSpan) => T | Promise<T>): Promise<T> {
  const around = ambient.getStore();
  return around === undefined ? work(NO_SPAN) : around.tracing.span(kind, facts, work);
}
