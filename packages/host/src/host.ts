import {
  fetchIcon,
  type CallToolResult,
  type CompleteResult,
  type FetchedIcon,
  type GetPromptResult,
  type Icon,
  type LoggingLevel,
  type ReadResourceResult,
  type WatchedChange,
  type WatchHandle,
} from 'crosspoint/client';
import { memoryStore, type Store } from 'crosspoint/stores';
import type { OpenAgent, ResumeOptions, Run, RunOptions } from './agent/run.ts';
import { AuditLog } from './audit/audit-log.ts';
import type { AuditWriter } from './audit/event.ts';
import { Conversations } from './calls/conversations.ts';
import { RunningCalls, type RunningCall } from './calls/running-calls.ts';
import { ToolCaller, type CallOptions } from './calls/tool-caller.ts';
import { Catalogue } from './catalogue/catalogue.ts';
import type { Listing } from './catalogue/listing.ts';
import { tokenReport, type TokenReport } from './catalogue/token-report.ts';
import { InputValues } from './config/inputs/input-values.ts';
import { TrustBook } from './config/trust/trust-book.ts';
import { Approvals } from './consent/approvals.ts';
import { explain, type Explanation } from './consent/explain.ts';
import { hasChanges } from './consent/pins.ts';
import type { Policy } from './consent/policy.ts';
import type { PendingPage } from './context/pending-pages.ts';
import type { HostRoots } from './context/server-roots.ts';
import { ContextReader, type ContextOptions } from './context-reader.ts';
import { PolicedAsks } from './gate/policed-asks.ts';
import { StartGate, identityOf } from './gate/start-gate.ts';
import type { HostEvent } from './host-event.ts';
import { entriesOf, programEntry, type HostOptions, type ProgramServer } from './host-options.ts';
import { Inbox } from './inbox/inbox.ts';
import type { ModelMessage } from './models/model.ts';
import { noAgent } from './no-agent.ts';
import type { HostServer } from './servers/host-server.ts';
import { HostServers } from './servers/host-servers.ts';
import { MemorySecrets } from './secrets/memory-secrets.ts';
import { ServerSide } from './server-side.ts';
import type { Timeline } from './timeline/timeline.ts';
import { toolFacts } from './tool-facts.ts';
import { NO_SPAN, missingTimeline, type OpenSpan, type SpanFacts } from './tracing/tracing.ts';
import { asError, attempt, orAborted } from './values/guard.ts';
import { asJson, type JsonObject } from './values/json.ts';

/** Milliseconds that closing waits for the store. */
const CLOSE_MS = 5000;

/**
 * Many servers, one user. The host connects to all of them, keeps one catalogue of what they offer, asks the user before anything is done, and
 * writes down what was.
 *
 * ```ts
 * const host = new Host({ name: 'my-app', version: '1.0.0', servers: { files: { command: 'npx', args: ['-y', 'server-files'] } } });
 * host.inbox.watch((change) => change.type === 'asked' && show(change.item));
 * await host.settled();
 * const result = await host.callTool('files__read_file', { path: 'notes.txt' });
 * await host.close();
 * ```
 */
export class Host {
  readonly catalogue: Catalogue;
  readonly inbox: Inbox;
  readonly audit: AuditLog;
  readonly approvals: Approvals;
  readonly trust: TrustBook;
  /** The values that configurations asked the user for. */
  readonly inputs: InputValues;
  readonly servers: HostServers;
  readonly #options: HostOptions;
  readonly #store: Store;
  readonly #side: ServerSide;
  readonly #starts: StartGate;
  readonly #caller: ToolCaller;
  readonly #running: RunningCalls;
  readonly #reader: ContextReader;
  readonly #agent: OpenAgent;
  readonly #conversations = new Conversations();
  readonly #listeners = new Set<(event: HostEvent) => void>();
  readonly #secrets = new Set<string>();
  #policy: Policy;

  constructor(options: HostOptions) {
    if (typeof options?.name !== 'string' || typeof options.version !== 'string')
      throw new TypeError("A host needs a name and a version: new Host({ name: 'my-app', version: '1.0.0' }).");
    const onproblem = (problem: Error): void => this.#problem(problem);
    this.#options = options;
    this.#policy = options.policy ?? {};
    this.#store = options.store ?? memoryStore();
    this.catalogue = new Catalogue({ onproblem });
    this.audit = new AuditLog({
      store: this.#store,
      knownSecrets: () => this.#secrets,
      onproblem,
      ...(options.auditKeys !== undefined && { keys: options.auditKeys }),
    });
    const audit: AuditWriter = options.timeline?.follow(this.audit, () => this.#secrets) ?? this.audit;
    this.inbox = new Inbox({
      audit,
      onproblem,
      ...(options.questionMs !== undefined && { timeoutMs: options.questionMs }),
      ...(options.responders !== undefined && { responders: options.responders }),
    });
    this.approvals = new Approvals({ store: this.#store, audit });
    this.trust = new TrustBook(this.#store);
    const policy = (): Policy => this.#policy;
    const isTrusted = (server: string): boolean => this.#isTrusted(server);
    const secrets = options.secrets ?? new MemorySecrets();
    this.inputs = new InputValues({ asks: this.inbox, store: this.#store, secrets });
    const { inbox, inputs, trust } = this;
    this.#starts = new StartGate({ store: this.#store, asks: inbox, audit, trust, policy });
    this.#side = new ServerSide(options, {
      asks: new PolicedAsks({ asks: inbox, audit, policy, isTrusted }),
      audit,
      trust,
      inputs,
      secrets,
      starts: this.#starts,
      emit: (event) => this.#emit(event),
      listed: (server, listing, isStale) => this.#listed(server, listing, isStale),
      learnSecrets: (secrets) => secrets.forEach((secret) => this.#secrets.add(secret)),
    });
    this.servers = new HostServers(this.#side, (name) => this.#removed(name));
    this.#running = new RunningCalls((call, isOver) => this.#callChanged(call, isOver));
    this.#caller = new ToolCaller({
      catalogue: this.catalogue,
      approvals: this.approvals,
      conversations: this.#conversations,
      running: this.#running,
      audit,
      asks: inbox,
      policy,
      isTrusted,
      server: (name) => this.servers.get(name),
      side: this.#side,
      identity: (server) => this.#identity(server),
    });
    this.#agent = this.#openAgent(isTrusted);
    this.#reader = this.#openReader(audit);
    this.catalogue.watch((server) => this.#emit({ type: 'catalogue', server }));
    for (const entry of entriesOf(options)) this.servers.add(entry);
  }

  /** The rules in force. Replacing them counts from the next decision on. */
  get policy(): Policy {
    return this.#policy;
  }

  set policy(policy: Policy) {
    this.#policy = policy;
    this.audit.write({ type: 'policy', details: { policy: asJson(policy) } });
  }

  /** The folders that servers may ask for. */
  get roots(): HostRoots {
    return this.#side.roots;
  }

  /** The record of what led to what. Throws where the host was made without one. */
  get timeline(): Timeline {
    const { timeline } = this.#options;
    if (timeline !== undefined) return timeline;
    throw missingTimeline();
  }

  /** Runs the work as a span of the timeline; without a timeline, simply runs it. Calls that it makes are under the span. */
  async span<T>(kind: string, facts: SpanFacts, work: (span: OpenSpan) => T | Promise<T>): Promise<T> {
    const { timeline } = this.#options;
    return timeline === undefined ? work(NO_SPAN) : timeline.span(kind, facts, work);
  }

  /** Calls `listener` with everything that happens. Returns the function that ends it. */
  watch(listener: (event: HostEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves when every server is ready, waits for the user, or has failed once. */
  settled(signal?: AbortSignal): Promise<void> {
    return this.servers.settled(signal);
  }

  /** Adds a server of the program and begins to connect. */
  addServer(name: string, server: ProgramServer): HostServer {
    return this.servers.add(programEntry(name, server));
  }

  /**
   * Calls a tool by its name in the catalogue. Rejects with `UnknownToolError`, `CallDeniedError`, `ServerUnavailableError`, or the error of the
   * call. A tool that failed is a result with `isError`.
   */
  callTool(name: string, args: JsonObject = {}, options: CallOptions = {}): Promise<CallToolResult> {
    const carryOut = (given: CallOptions): Promise<CallToolResult> => this.#caller.call(name, args, given);
    const call = { tool: name, server: this.catalogue.tool(name)?.server, arguments: args, options };
    return this.#options.timeline?.call(call, carryOut) ?? carryOut(options);
  }

  /** Has a model answer with the tools of all servers. Throws where the host has no `agent`; see `@crosspoint/host/agent`. */
  run(messages: string | readonly ModelMessage[], options: RunOptions = {}): Run {
    return this.#agent.run(messages, options);
  }

  /** Goes on with a run after a crash, with a higher budget, or with further words. No call that was sent is made twice, unless that does no harm. */
  resume(id: string, options: ResumeOptions = {}): Run {
    return this.#agent.resume(id, options);
  }

  /** The calls that are being decided on or carried out. */
  calls(): readonly RunningCall[] {
    return this.#running.list();
  }

  /** Cancels a call: the server is told. False when no such call runs. */
  cancel(id: string, reason: string = 'The user cancelled it.'): boolean {
    return this.#running.cancel(id, reason);
  }

  /** The pages of servers that the user opened, and that are not known to be finished. */
  pages(): readonly PendingPage[] {
    return this.#side.pages.list();
  }

  /** Opens a pending page again, for a user who closed it. False when no such page is pending. */
  async openPage(id: string): Promise<boolean> {
    const page = this.#side.pages.get(id);
    if (page !== undefined) await this.#side.open(new URL(page.url));
    return page !== undefined;
  }

  /** Why a call would be allowed, asked or denied, and why the tool is renamed or hidden. Nothing is called. */
  async explain(name: string, args: JsonObject = {}, conversation?: string): Promise<Explanation> {
    const subject = this.#caller.subject(name, args, conversation);
    const state = await this.approvals.look(subject);
    const found = this.catalogue.tool(name);
    return explain(this.#policy, subject, {
      state,
      facts: found === undefined ? [] : toolFacts(found, this.#server(found.server)),
    });
  }

  /** Reads a resource of a server, for the user who chose it. */
  readResource(server: string, uri: string, options: ContextOptions = {}): Promise<ReadResourceResult> {
    return this.#reader.readResource(server, uri, options);
  }

  /** Calls `onchange` when the resource may have changed, until the handle is closed. */
  async watchResource(server: string, uri: string, onchange: (change: WatchedChange) => void): Promise<WatchHandle> {
    const client = await this.#server(server).ready();
    return client.watch({ uris: [uri] }, { onchange });
  }

  /** The messages of a prompt, by its name in the catalogue, for the user who chose it. */
  getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: ContextOptions = {},
  ): Promise<GetPromptResult> {
    return this.#reader.getPrompt(name, args, options);
  }

  /** Values for an argument of a prompt that the user is typing; none where the server completes nothing. */
  completePrompt(
    name: string,
    argument: { readonly name: string; readonly value: string },
    chosen: Readonly<Record<string, string>> = {},
  ): Promise<CompleteResult['completion']> {
    return this.#reader.completePrompt(name, argument, chosen);
  }

  /**
   * Loads an icon of a server, without credentials: from the server's own origin, or out of a `data:` address. `origins` names others that the
   * program trusts. Rejects with the reason where it is refused.
   */
  icon(server: string, icon: Icon, origins: readonly string[] = []): Promise<FetchedIcon> {
    const { reach } = this.#server(server).entry;
    const own = reach.type === 'http' || reach.type === 'sse' ? [new URL(reach.url).origin] : [];
    const declared = icon.mimeType === undefined ? {} : { mimeType: icon.mimeType };
    return fetchIcon(icon.src, { origins: [...own, ...origins], ...declared });
  }

  /** How much of a model's context the tools take; `count` is the tokeniser of the model. */
  tokens(count?: (text: string) => number): TokenReport {
    return tokenReport(this.catalogue.tools(), count);
  }

  /** Sets the level of the log messages that a server sends; they come as events `log`. */
  async setLoggingLevel(server: string, level: LoggingLevel): Promise<void> {
    const client = await this.#server(server).ready();
    await client.setLoggingLevel(level);
  }

  /** The folders of a server have changed: the user is asked again, and the server is told. */
  rootsChanged(server: string): Promise<void> {
    return this.#side.rootsChanged(server);
  }

  /** Takes everything that a server offers now for known, after the user has looked at the changes. */
  async acceptDefinitions(server: string): Promise<void> {
    const { listing } = this.#server(server);
    if (listing === undefined) return;
    await this.approvals.accept(server, listing);
    this.catalogue.set(server, listing);
  }

  /** Forgets everything that was allowed to a server: starting it, its approvals, and its definitions. */
  async forgetServer(server: string): Promise<void> {
    await Promise.all([this.#starts.forget(server), this.approvals.forget(server)]);
  }

  /** A conversation is over, or begins anew: no server has had a say in it. */
  endConversation(conversation: string): void {
    this.#conversations.forget(conversation);
    this.#options.timeline?.endConversation(conversation);
  }

  /** Ends every server and every question. The store stays open. */
  async close(): Promise<void> {
    this.inbox.close();
    const runs = this.#agent.close();
    this.#running.cancelAll('The host is closing.');
    await this.servers.close();
    const isLate = AbortSignal.timeout(CLOSE_MS);
    const session = orAborted(this.approvals.endSession(), isLate);
    const late = orAborted(runs, isLate).catch((error: unknown) => this.#problem(asError(error)));
    await Promise.all([late, session.catch((error: unknown) => this.#problem(asError(error)))]);
    await this.audit.close();
    this.#options.timeline?.close();
  }

  #openAgent(isTrusted: (server: string) => boolean): OpenAgent {
    const influenced = (conversation: string, server: string): void => this.#conversations.add(conversation, server);
    return (this.#options.agent ?? noAgent).open({ host: this, store: this.#store, isTrusted, influenced });
  }

  #openReader(audit: AuditWriter): ContextReader {
    return new ContextReader({
      catalogue: this.catalogue,
      conversations: this.#conversations,
      audit,
      span: (kind, facts, work) => this.span(kind, facts, work),
      server: (name) => this.#server(name),
    });
  }

  #server(name: string): HostServer {
    const server = this.servers.get(name);
    if (server === undefined) throw new TypeError(`There is no server "${name}".`);
    return server;
  }

  #isTrusted(server: string): boolean {
    const entry = this.servers.get(server)?.entry;
    return entry?.isTrusted === true && entry.origin.scope !== 'project';
  }

  #identity(server: string): string {
    const entry = this.servers.get(server)?.entry;
    return entry === undefined ? '' : identityOf(entry);
  }

  /** Changed instructions are kept from the model until the user has accepted them: they are words of the server to it. */
  async #listed(server: string, listing: Listing, isStale: boolean): Promise<void> {
    if (isStale) return this.catalogue.markStale(server);
    const changes = await this.approvals
      .observe(server, listing)
      .catch((error: unknown) => this.#problem(asError(error)));
    if (this.servers.get(server) === undefined) return;
    const before = changes?.instructions && { ...listing, instructions: changes.instructions.before ?? '' };
    this.catalogue.set(server, before ?? listing);
    if (changes !== undefined && hasChanges(changes)) this.#emit({ type: 'definitions', server, changes });
  }

  #callChanged(call: RunningCall, isOver: boolean): void {
    this.#emit({ type: 'call', call, isOver });
    if (isOver) this.#side.pages.callEnded(call.id);
  }

  #removed(server: string): void {
    this.catalogue.remove(server);
    this.#side.forget(server);
  }

  #emit(event: HostEvent): void {
    if (event.type === 'server')
      this.audit.write({ type: 'server', server: event.server, details: { status: event.state.status } });
    this.#options.timeline?.happened(event);
    for (const listener of this.#listeners)
      attempt(
        () => listener(event),
        (error) => this.#problem(new Error(`A listener of the host failed: ${error.message}`, { cause: error })),
      );
  }

  #problem(problem: Error): void {
    attempt(() => this.#options.onproblem?.(problem));
  }
}
