import {
  Client,
  ProtocolError,
  StreamableHTTPClientTransport,
  type ClientContext,
  type ClientMiddleware,
  type ClientOptions,
  type Tool,
} from 'crosspoint/client';
import { ASKED_BY } from '../matching/ask.ts';
import { callOfOnlyClient, matchCall } from '../matching/match-call.ts';
import type { Question } from '../matching/open-call.ts';
import { OpenCalls } from '../matching/open-calls.ts';
import { isObject, relatedTask, withoutHop } from '../words/meta.ts';
import { EarlyMessages, type Standing } from './early-messages.ts';
import { LogLevel } from './log-level.ts';
import type { Upstream, UpstreamCaller } from './upstream.ts';

type JsonObject = Record<string, unknown>;
type Family = 'handshake' | 'per-request';
type Notification = { method: string; params?: JsonObject };
type Progress = { progress: number; total?: number; message?: string };

export interface SessionSettings {
  readonly client: ClientOptions;
  readonly middleware: readonly ClientMiddleware[];
  readonly onproblem: (problem: Error) => void;
}

/** The settings of one session. */
interface OneSession extends SessionSettings {
  readonly signal: AbortSignal;
  /** Called when the server asks on its standing stream while calls are open, so that streams do not tell which of them asks. */
  readonly onapart: () => void;
}

/** Longest wait of a question on the standing stream for the end of other calls that could have asked it: servers wait for an answer for a minute. */
const HELD_MS = 30_000;

/** Notifications that the client itself acts on: relayed, they would be told twice. */
const TAKEN: ReadonlySet<string> = new Set([
  'notifications/progress',
  'notifications/cancelled',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/subscriptions/acknowledged',
  // Of tasks of the server: the face has tasks of its own, and tells of those.
  'notifications/tasks/status',
  'notifications/tasks',
]);

/** Longest wait for a list that the bridge reads for itself. */
const LIST_MS = 10_000;
/** Most tools whose definitions are kept. */
const MOST_TOOLS = 10_000;

/** One connection to the server: a client, and the calls that are open in it. */
export class UpstreamSession {
  readonly client: Client;
  readonly caller: UpstreamCaller;
  readonly calls: OpenCalls = new OpenCalls();
  readonly level: LogLevel;
  /** Called once, when the connection has ended. */
  onended: (() => void) | undefined;
  readonly #life = new AbortController();
  readonly #canResume: boolean;
  readonly #early: EarlyMessages | undefined;
  #standing: Standing | undefined;
  readonly #tools = new Map<string, Tool>();
  readonly #onproblem: (problem: Error) => void;
  readonly #onapart: () => void;
  #listing: Promise<void> | undefined;
  #isListed = false;

  private constructor(upstream: Upstream, caller: UpstreamCaller, settings: OneSession) {
    const { client, middleware, onproblem, onapart } = settings;
    const { extensions = {}, ...capabilities } = caller.capabilities;
    this.caller = caller;
    if (caller.hasSession === true) this.#early = new EarlyMessages();
    this.#onproblem = onproblem;
    this.#onapart = onapart;
    this.#canResume = upstream.canResume === true;
    this.client = new Client(caller.client ?? { name: 'bridge', version: '0' }, {
      ...client,
      capabilities,
      extensions: Object.entries(extensions).map(([id, settings]) => ({
        extension: { id, families: ['handshake', 'per-request'] },
        settings,
      })),
      relayed: true,
      cache: false,
      outputValidation: 'off',
      inputRequired: 'manual',
      onproblem,
    });
    this.level = new LogLevel(this.client, onproblem);
    for (const one of middleware) this.client.use(one);
    for (const [method, capability] of Object.entries(ASKED_BY))
      if (capabilities[capability] !== undefined)
        this.client.setRequestHandler(method, (request, extra) => this.#asked(request, extra));
    this.client.fallbackRequestHandler = (request, extra) =>
      this.#asked({ method: request.method, params: request.params ?? {} }, extra);
    this.client.fallbackNotificationHandler = (notification, extra) =>
      this.#heard(notification, extra.relatedRequestId);
    this.client.onclose = () => {
      this.#life.abort();
      this.onended?.();
    };
  }

  /** Opens a session for a caller. Rejects when the server cannot be reached. */
  static async open(upstream: Upstream, caller: UpstreamCaller, settings: OneSession): Promise<UpstreamSession> {
    const session = new UpstreamSession(upstream, caller, settings);
    try {
      await upstream.connect(session.client, caller, settings.signal);
      if (session.client.family === undefined)
        throw new TypeError('connect() of the upstream ended without connecting the client that it was given.');
    } catch (error) {
      await session.client.close().catch(() => {});
      throw error;
    }
    return session;
  }

  /** The client downstream whose session this is, once it is ready. It gets everything that the server has sent before. */
  set standing(standing: Standing) {
    this.#standing = standing;
    this.#early?.end(standing);
  }

  get family(): Family {
    return this.client.family ?? 'handshake';
  }

  /** Whether a message of the server says by its stream which call it belongs to. */
  get hasStreams(): boolean {
    return this.client.transport instanceof StreamableHTTPClientTransport;
  }

  /** Facts that another process needs to go on with this session; `undefined` where that cannot be done. */
  get resume(): UpstreamCaller['resume'] {
    const { transport } = this.client;
    const sessionId = transport?.sessionId;
    const protocolVersion = this.client.getNegotiatedProtocolVersion();
    if (!this.#canResume || !this.hasStreams || sessionId === undefined || protocolVersion === undefined)
      return undefined;
    return { sessionId, protocolVersion };
  }

  /** Closes the connection and leaves the session to another process. */
  async leave(): Promise<void> {
    const { transport } = this.client;
    if (transport instanceof StreamableHTTPClientTransport) transport.endsSession = false;
    await this.client.close();
  }

  /** Aborts when the connection has ended. */
  get ended(): AbortSignal {
    return this.#life.signal;
  }

  /** The definition of a tool, if it was listed. */
  known(tool: string): Tool | undefined {
    return this.#tools.get(tool);
  }

  /** The definition of a tool as last listed; the list is read where it is not known. `undefined` for a tool that is not listed. */
  async tool(name: string): Promise<Tool | undefined> {
    if (!this.#tools.has(name) && !this.#isListed) await (this.#listing ??= this.#list());
    return this.#tools.get(name);
  }

  /** Keeps the definitions of a listed page. */
  learn({ tools }: { tools?: unknown }): void {
    if (!Array.isArray(tools)) return;
    if (this.#tools.size + tools.length > MOST_TOOLS) this.#tools.clear();
    for (const tool of (tools as (Tool | null)[]).filter(isObject) as unknown as Tool[])
      this.#tools.set(tool.name, tool);
  }

  async #list(): Promise<void> {
    try {
      this.learn(await this.client.listTools({}, { timeout: LIST_MS }));
    } catch (error) {
      this.#onproblem(error as Error);
    }
    this.#isListed = true;
    this.#listing = undefined;
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  #forget(): void {
    this.#tools.clear();
    this.#isListed = false;
  }

  async #asked(
    { method, params = {} }: { method: string; params?: JsonObject },
    extra: ClientContext,
  ): Promise<JsonObject> {
    const belonging = { relatedRequestId: extra.relatedRequestId, taskId: relatedTask(params['_meta'] ?? extra._meta) };
    const { signal, resumeAfter } = extra;
    const facts = { signal, resumeAfter, reportProgress: (value: Progress) => extra.reportProgress(value) };
    const message = { method: method as Question['method'], params: withoutHop(params) };
    // Some servers ask for roots by themselves, whatever they were called for.
    if (belonging.relatedRequestId === null && this.calls.mayAsk && method !== 'roots/list') this.#onapart();
    const hasClient = this.#standing !== undefined || this.#early !== undefined;
    const call = await this.calls.askedBy(belonging, { signal, forMs: hasClient ? 0 : HELD_MS });
    if (call !== undefined) return call.ask({ ...message, ...facts });
    const standing = this.#standing ?? (await this.#early?.whenReady(signal));
    if (standing !== undefined) return standing.request(message, facts);
    throw new ProtocolError(
      'method-not-found',
      `The bridge cannot bring ${method} to a client: it belongs to no call, or to one of several.`,
    );
  }

  #heard(notification: Notification, relatedRequestId: string | number | null | undefined): void {
    const { method, params = {} } = notification;
    if (method === 'notifications/tools/list_changed') this.#forget();
    if (TAKEN.has(method)) return;
    const belonging = { relatedRequestId, taskId: relatedTask(params['_meta']) };
    const told = { method, params: withoutHop(params) };
    const call = matchCall(belonging, this.calls);
    const only = callOfOnlyClient(this.calls);
    if (call !== undefined) call.hear(told);
    else if (this.#standing !== undefined) this.#standing.notify(told);
    else if (only !== undefined) only.hear(told);
    else this.#early?.keep(told);
  }
}
