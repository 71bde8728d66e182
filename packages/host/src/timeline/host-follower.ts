import type { AuditEvent } from '../audit/event.ts';
import type { HostEvent } from '../host-event.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { isObject, type Json, type JsonObject } from '../values/json.ts';
import type { LiveSpan, SpanWriter } from './span-writer.ts';
import type { SpanRecord } from './trace-store.ts';

/** One server as the timeline knows it. */
interface Followed {
  /** Spans of the calls that it works on, by the id of the call. */
  readonly calls: Map<string, SpanRecord>;
  connect?: LiveSpan | undefined;
  login?: LiveSpan | undefined;
  /** The call that ended last, while no other ran. */
  last?: { readonly span: SpanRecord; readonly at: number } | undefined;
  /** The calls that were in flight when the connection was lost. */
  lostDuring: readonly SpanRecord[];
  hasConnected: boolean;
}

/** Questions and calls whose end is waited for; more than a host has at once. */
const MOST = 10_000;

/** Milliseconds for which a line of stderr belongs to the call that has just ended: it comes through another pipe than the answer. */
const LATE_LINE_MS = 50;

/** Audit events that are told as spans, or by the spans around them. */
const TOLD: ReadonlySet<string> = new Set(['call', 'result', 'server', 'read', 'prompt']);

/** Turns the things that a host reports into spans, each under the work that led to it. */
export class HostFollower {
  readonly #writer: SpanWriter;
  readonly #tracing: Tracing;
  readonly #servers = new Map<string, Followed>();
  readonly #questions = new Map<string, LiveSpan>();
  /** First spans of traces that go on, by the name of what they stand for. */
  readonly #roots = new Map<string, LiveSpan>();

  constructor(writer: SpanWriter, tracing: Tracing) {
    this.#writer = writer;
    this.#tracing = tracing;
  }

  /** The first span of a trace that goes on: of a server or a conversation. */
  root(kind: 'server' | 'conversation', name: string): SpanRecord | undefined {
    const key = `${kind} ${name}`;
    const kept = this.#writer.store.open(this.#roots.get(key)?.id);
    if (kept !== undefined) return kept;
    const facts = { name, ...(kind === 'server' && { server: name }) };
    const span = this.#writer.begin({ kind, facts });
    this.#roots.delete(key);
    this.#roots.set(key, span);
    const [oldest] = this.#roots.keys();
    if (this.#roots.size > MOST && oldest !== undefined) this.#roots.delete(oldest);
    return span.record;
  }

  endRoot(kind: 'server' | 'conversation', name: string): void {
    this.#roots.get(`${kind} ${name}`)?.end();
    this.#roots.delete(`${kind} ${name}`);
  }

  /** The span that leads to something of a server now: the work that runs, the login or connecting, or the server itself. */
  above(server: string, { isForeign = false }: { readonly isForeign?: boolean } = {}): SpanRecord | undefined {
    const { login, connect } = this.#followed(server);
    const around = this.#writer.current(this.#tracing);
    if (isForeign && login !== undefined) return login.record;
    if (around?.server === server) return around;
    return connect?.record ?? this.root('server', server);
  }

  /** Like `above`, for things that a server tells without saying what for: the only call that it works on, where there is one. */
  told(server: string): SpanRecord | undefined {
    const around = this.#writer.current(this.#tracing);
    if (around?.server === server) return around;
    const { calls, last } = this.#followed(server);
    const [only] = calls.values();
    if (calls.size === 0 && last !== undefined && this.#writer.now() - last.at < LATE_LINE_MS)
      return this.#writer.store.get(last.span.id) ?? this.above(server);
    return calls.size === 1 ? only : this.above(server);
  }

  login(server: string): LiveSpan {
    const followed = this.#followed(server);
    const span = this.#writer.begin({
      kind: 'login',
      facts: { name: server, server },
      parent: this.above(server),
    });
    followed.login = span;
    const end = (error?: unknown): void => {
      span.end(error);
      if (followed.login === span) followed.login = undefined;
    };
    return { ...span, end };
  }

  /** The connection has ended; the calls in flight are those that ended it, or were ended by it. */
  lost(server: string, error: Error | undefined): void {
    const followed = this.#followed(server);
    followed.lostDuring = [...followed.calls.values()];
    const about = error === undefined ? {} : { error: error.message };
    this.#writer.event(this.told(server), 'connection-lost', about);
  }

  happened(event: HostEvent): void {
    switch (event.type) {
      case 'server':
        return this.#state(event.server, event.state);
      case 'call':
        return this.#call(event);
      case 'log': {
        const { server, level, logger, data } = event;
        const about = { level, ...(logger !== undefined && { logger }), data: data as JsonObject };
        return this.#writer.event(this.told(server), 'log', about);
      }
      case 'stderr':
        return this.#writer.event(this.told(event.server), 'stderr', { line: event.line });
      case 'page': {
        const { server, url, call } = event.page;
        const { calls } = this.#followed(server);
        const at = (call && calls.get(call.id)) ?? this.told(server);
        return this.#writer.event(at, event.isOver ? 'page-over' : 'page-opened', { url });
      }
      case 'definitions':
        return this.#writer.event(this.told(event.server), 'definitions-changed', {});
      case 'catalogue':
        return;
    }
  }

  audited({ type, server, call, details }: AuditEvent): void {
    if (TOLD.has(type)) return;
    const parent = this.#auditedUnder(server, call);
    if (type === 'decision') {
      const { action = 'call', name, effect, rules } = details;
      const facts = { name: `${textOf(effect)} ${textOf(action)}`, server, of: name, effect, rules };
      return this.#writer.begin({ kind: 'decision', facts, parent }).end();
    }
    if (type === 'question') return this.#asked(details, server, parent);
    if (type === 'answer') return this.#answered(details);
    if (parent !== undefined) this.#writer.event(parent, type, details);
  }

  /** Ends everything of the host. */
  close(): void {
    for (const span of this.#questions.values()) span.end();
    for (const { connect, login } of this.#servers.values()) for (const span of [login, connect]) span?.end();
    for (const span of this.#roots.values()) span.end();
    for (const kept of [this.#questions, this.#servers, this.#roots]) kept.clear();
  }

  /** The work that runs, if it is of this server or of none; the call; or the server. */
  #auditedUnder(server: string | undefined, call: string | undefined): SpanRecord | undefined {
    const around = this.#writer.current(this.#tracing);
    if (server === undefined) return around;
    if (around?.server === server) return around;
    return this.#followed(server).calls.get(call ?? '') ?? this.above(server);
  }

  #asked({ id, kind, reason }: JsonObject, server: string | undefined, parent: SpanRecord | undefined): void {
    const facts = { name: textOf(kind), server, reason };
    const login = kind === 'login' && server !== undefined ? this.#followed(server).login?.record : undefined;
    const span = this.#writer.begin({ kind: 'question', facts, parent: login ?? parent });
    if (this.#questions.size < MOST) this.#questions.set(textOf(id), span);
  }

  #answered({ id, action, by, fields, isEdited }: JsonObject): void {
    const span = this.#questions.get(textOf(id));
    this.#questions.delete(textOf(id));
    span?.set({ action, by, fields, isEdited });
    span?.end();
  }

  #call({ call, isOver }: Extract<HostEvent, { type: 'call' }>): void {
    const followed = this.#followed(call.server);
    const { calls } = followed;
    const known = calls.get(call.id);
    if (isOver) {
      calls.delete(call.id);
      followed.last = known && calls.size === 0 ? { span: known, at: this.#writer.now() } : undefined;
      return;
    }
    if (known !== undefined) return;
    const around = this.#writer.current(this.#tracing);
    if (around?.kind === 'call') calls.set(call.id, around);
  }

  #state(server: string, state: Extract<HostEvent, { type: 'server' }>['state']): void {
    const followed = this.#followed(server);
    const cause = 'cause' in state && state.cause !== undefined ? { cause: state.cause.message } : {};
    if (state.status === 'connecting' && followed.connect === undefined) this.#connecting(server, followed);
    const { connect } = followed;
    const at = connect?.record ?? this.root('server', server);
    if (state.status !== 'connecting') this.#writer.event(at, 'state', { status: state.status, ...cause });
    if (state.status === 'ready' || state.status === 'degraded') followed.hasConnected = true;
    const isFailure = state.status === 'failed' || (state.status === 'needs-login' && 'cause' in state);
    if (isFailure || state.status === 'ready' || state.status === 'degraded' || state.status === 'closed') {
      connect?.end(isFailure ? state.cause : undefined);
      followed.connect = undefined;
    }
    if (state.status === 'closed') {
      this.#servers.delete(server);
      this.endRoot('server', server);
    }
  }

  /** A connection after a loss is led to by the call that was in flight; any other by the work that runs, or by the server. */
  #connecting(server: string, followed: Followed): void {
    const [first, ...others] = followed.lostDuring;
    const parent = first ?? this.#writer.current(this.#tracing) ?? this.root('server', server);
    followed.lostDuring = [];
    const kind = followed.hasConnected ? 'restart' : 'connect';
    const facts = { name: server, server };
    followed.connect = this.#writer.begin({ kind, facts, parent, links: others.map(({ id }) => id) });
  }

  #followed(server: string): Followed {
    const found = this.#servers.get(server);
    if (found !== undefined) return found;
    const made: Followed = { calls: new Map(), lostDuring: [], hasConnected: false };
    this.#servers.set(server, made);
    return made;
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Kinds of content in a result: what came back, without saying what it says. */
export function contentKinds({ content }: { readonly content?: unknown }): string[] {
  if (!Array.isArray(content)) return [];
  return content.slice(0, 20).map((block: unknown) => (isObject(block) ? textOf(block['type']).slice(0, 40) : '?'));
}
