import type { CallToolResult, ClientMiddleware } from 'crosspoint/client';
import type { AuditWriter } from '../audit/event.ts';
import type { CallOptions } from '../calls/tool-caller.ts';
import type { HostEvent } from '../host-event.ts';
import type { OpenSpan, SpanFacts, SpanStart, TracedCall, Tracing } from '../tracing/tracing.ts';
import { attempt } from '../values/guard.ts';
import { asJson, type JsonObject } from '../values/json.ts';
import { followClient } from './follow-client.ts';
import { followFetch } from './follow-fetch.ts';
import { HostFollower, contentKinds } from './host-follower.ts';
import { querySpans, type TimelineQuery } from './query.ts';
import type { TimelineChange, TimelineSpan } from './span.ts';
import { SpanWriter } from './span-writer.ts';
import { TraceStore, type DroppedCounts } from './trace-store.ts';

export interface TimelineOptions {
  /** Most spans that are kept; 10,000 when absent. */
  readonly maxSpans?: number;
  /** Most bytes that spans take, about; 16 MiB when absent. */
  readonly maxBytes?: number;
  /** Texts that are masked wherever they occur, beside the secrets that the host knows. */
  readonly secrets?: readonly string[];
  /** Told of listeners that fail. */
  readonly onproblem?: (problem: Error) => void;
}

/**
 * Makes a timeline for a host: one record of calls, decisions, requests, questions, logins and models, as spans that name what led to them.
 *
 * ```ts
 * import { Host } from '@crosspoint/host';
 * import { timeline, timelineText } from '@crosspoint/host/timeline';
 *
 * const host = new Host({ name: 'my-app', version: '1.0.0', timeline: timeline() });
 * await host.callTool('files__read', { path: 'notes.txt' });
 * console.log(timelineText(host.timeline.query({ kinds: ['call'] })));
 * ```
 */
export function timeline(options: TimelineOptions = {}): Timeline {
  return new Timeline(options);
}

/** The record of one host, in bounded memory. */
export class Timeline implements Tracing {
  readonly #writer: SpanWriter;
  readonly #host: HostFollower;
  readonly #secrets: readonly string[];
  #isFollowing = false;

  constructor({ maxSpans = 10_000, maxBytes = 16_777_216, secrets = [], onproblem }: TimelineOptions) {
    for (const [name, value] of Object.entries({ maxSpans, maxBytes }))
      if (!Number.isFinite(value) || value < 1) throw new TypeError(`${name} of a timeline must be a number above 0.`);
    this.#writer = new SpanWriter(new TraceStore({ maxSpans, maxBytes }), onproblem);
    this.#secrets = [...secrets];
    this.#writer.knows(() => this.#secrets);
    this.#host = new HostFollower(this.#writer, this);
  }

  /** The spans that fit, the oldest first, each with everything that it led to. */
  query(query: TimelineQuery = {}): TimelineSpan[] {
    return querySpans(this.#writer.store.all(), query);
  }

  /** Calls `listener` for every change from now on. Returns the function that ends it. */
  watch(listener: (change: TimelineChange) => void): () => void {
    return this.#writer.watch(listener);
  }

  /** The number of things that were dropped, because there were too many. */
  get dropped(): DroppedCounts {
    return this.#writer.store.dropped;
  }

  /** The size of everything that is kept. */
  get size(): { readonly traces: number; readonly spans: number; readonly bytes: number } {
    return this.#writer.store.size;
  }

  /** Forgets everything. */
  clear(): void {
    this.#writer.store.clear();
  }

  begin({ kind, facts }: SpanStart): OpenSpan {
    const { server } = facts;
    if (kind === 'login' && server !== undefined) return this.#host.login(server);
    const parent = this.#writer.current(this) ?? (server === undefined ? undefined : this.#host.above(server));
    return this.#writer.begin({ kind, facts, parent });
  }

  span<T>(kind: string, facts: SpanFacts, work: (span: OpenSpan) => T | Promise<T>): Promise<T> {
    const span = this.#writer.begin({ kind, facts, parent: this.#writer.current(this) });
    return this.#writer.run(this, span, work);
  }

  call(
    { tool, server, arguments: args, options }: TracedCall,
    carryOut: (options: CallOptions) => Promise<CallToolResult>,
  ): Promise<CallToolResult> {
    const { id, conversation, reason, onprogress } = options;
    const around = this.#writer.current(this);
    const parent = around ?? (conversation === undefined ? undefined : this.#host.root('conversation', conversation));
    const span = this.#writer.begin({
      kind: 'call',
      facts: { name: tool, server, call: id, arguments: args, conversation, reason },
      parent,
    });
    return this.#writer.run(this, span, async () => {
      const result = await carryOut({
        ...options,
        onprogress: (progress) => {
          span.event('progress', asJson(progress));
          return onprogress?.(progress);
        },
      });
      attempt(() => span.set({ isError: result.isError === true, content: contentKinds(result) }));
      return result;
    });
  }

  follow(audit: AuditWriter, knownSecrets: () => Iterable<string>): AuditWriter {
    if (this.#isFollowing)
      throw new TypeError('A timeline belongs to one host: make another with timeline() for each.');
    this.#isFollowing = true;
    this.#writer.knows(() => [...this.#secrets, ...knownSecrets()]);
    return {
      write: (event) => {
        audit.write(event);
        attempt(() => this.#host.audited(event));
      },
    };
  }

  happened(event: HostEvent): void {
    attempt(() => this.#host.happened(event));
  }

  clientOf(server: string): ClientMiddleware {
    return followClient({
      request: (facts) =>
        this.#writer.begin({ kind: 'request', facts: { ...facts, server }, parent: this.#host.above(server) }),
      asked: (facts, cause) =>
        this.#writer.begin({
          kind: 'asked',
          facts: { ...facts, server },
          parent: this.#writer.store.get(cause?.id) ?? this.#host.told(server),
        }),
      run: (span, work) => this.#writer.run(this, span, work),
      lost: (error) => this.#host.lost(server, error),
      learn: (secret) => this.#writer.learn(secret),
    });
  }

  fetchOf(server: string, address: string, send: typeof fetch): typeof fetch {
    const port = {
      begin: (name: string, facts: JsonObject, isForeign: boolean) =>
        this.#writer.begin({
          kind: 'http',
          facts: { ...facts, name, server },
          parent: this.#host.above(server, { isForeign }),
        }),
      learn: (secret: string) => this.#writer.learn(secret),
    };
    return followFetch(port, address, send);
  }

  endConversation(conversation: string): void {
    this.#host.endRoot('conversation', conversation);
  }

  close(): void {
    this.#host.close();
  }
}
