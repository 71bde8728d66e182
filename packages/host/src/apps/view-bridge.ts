import { isProtocolError, ProtocolError, type CallToolResult } from 'crosspoint/client';
import { attempt } from '../values/guard.ts';
import { asJson, type JsonObject } from '../values/json.ts';
import {
  APPS_PROTOCOL_VERSION,
  type DisplayMode,
  type HostContext,
  type ViewBridgeOptions,
  type ViewInfo,
  type ViewModelContext,
} from './protocol.ts';
import { ToolFeed } from './tool-feed.ts';
import { readViewMessage, type ViewRequestId } from './view-message.ts';
import {
  denied,
  invalid,
  isDisplayMode,
  readModelContext,
  readViewInfo,
  REQUESTS,
  unknownMethod,
} from './view-requests.ts';

type Phase = 'new' | 'initializing' | 'ready' | 'closed';

/**
 * The host's half of the conversation with one view. It checks every message of the view, gives it the powers that the options hold and no
 * others, and sends nothing before the view has said that it is initialized.
 *
 * ```ts
 * const bridge = new ViewBridge({ server: 'shop', hostInfo, send: (message) => port.postMessage(message), tools, callTool });
 * port.onmessage = ({ data }) => bridge.receive(data);
 * bridge.toolInput({ item: 'mug' });
 * bridge.toolResult(await client.callTool({ name: 'show_cart', arguments: { item: 'mug' } }));
 * await bridge.teardown('The conversation ended.');
 * ```
 */
export class ViewBridge {
  readonly #options: ViewBridgeOptions;
  readonly #feed: ToolFeed;
  readonly #running = new Map<ViewRequestId, AbortController>();
  readonly #awaited = new Map<ViewRequestId, (isAnswered: boolean) => void>();
  #phase: Phase = 'new';
  #context: HostContext;
  /** Changes since the view was given the whole context. */
  #contextChanges: Partial<HostContext> = {};
  #view: ViewInfo | undefined;
  #modelContext: ViewModelContext | undefined;
  #lastId = 0;
  #malformed = 0;

  constructor(options: ViewBridgeOptions) {
    this.#options = options;
    this.#context = { displayMode: 'inline', availableDisplayModes: ['inline'], ...options.hostContext };
    this.#feed = new ToolFeed((method, params) => this.#notify(method, params));
  }

  /** The view's own account of itself; `undefined` before it began. */
  get view(): ViewInfo | undefined {
    return this.#view;
  }

  /** Whether the view has said that it is initialized, and is open. */
  get isReady(): boolean {
    return this.#phase === 'ready';
  }

  /** The last context that the view gave for the model. */
  get modelContext(): ViewModelContext | undefined {
    return this.#modelContext;
  }

  get displayMode(): DisplayMode {
    return this.#context.displayMode ?? 'inline';
  }

  /** Takes a message of the view, whatever it is. Never throws. */
  receive(given: unknown): void {
    if (this.#phase === 'closed') return;
    const message = readViewMessage(given, this.#options.maxMessageLength ?? 1_048_576);
    switch (message.kind) {
      case 'malformed':
        this.#refuse(message.id, message.fault);
        break;
      case 'response':
        this.#awaited.get(message.id)?.(!message.isError);
        break;
      case 'notification':
        this.#hear(message.method, message.params);
        break;
      case 'request':
        void this.#answer(message);
        break;
    }
  }

  /** Arguments as far as the model has written them. Later ones take the place of earlier ones; after `toolInput` they are dropped. */
  toolInputPartial(args: JsonObject): void {
    this.#feed.partial(args);
  }

  /** The complete arguments of the call. False when they were given before: a view gets them once. */
  toolInput(args: JsonObject): boolean {
    return this.#feed.input(args);
  }

  /** The result of the call, after `toolInput`. False when the call ended before. Throws `TypeError` before `toolInput`. */
  toolResult(result: CallToolResult): boolean {
    return this.#feed.result(asJson(result));
  }

  /** The call was cancelled, for whatever reason. False when it ended before. */
  toolCancelled(reason?: string): boolean {
    return this.#feed.cancelled(reason);
  }

  /** Changes the surroundings; the view is told what changed. */
  setContext(changes: Partial<Omit<HostContext, 'displayMode'>>): void {
    this.#changeContext(changes);
  }

  /** Switches the mode by the wish of the host or its user. False when the host lacks the mode or the view did not declare it. */
  setDisplayMode(mode: DisplayMode): boolean {
    if (!this.#mayShow(mode)) return false;
    if (mode !== this.displayMode) this.#changeContext({ displayMode: mode });
    return true;
  }

  /**
   * Tells the view that it is about to be removed, waits for its answer within `timeoutMs` (2 seconds when absent), and closes. True when the
   * view answered.
   */
  async teardown(reason?: string, { timeoutMs = 2000 }: { readonly timeoutMs?: number } = {}): Promise<boolean> {
    const isAnswered =
      this.#phase === 'ready' &&
      (await this.#request('ui/resource-teardown', { ...(reason !== undefined && { reason }) }, timeoutMs));
    this.close();
    return isAnswered;
  }

  /** Ends everything at once: running requests of the view are aborted, and nothing more is sent or heard. */
  close(): void {
    this.#phase = 'closed';
    for (const controller of this.#running.values()) controller.abort(new Error('The view was closed.'));
    this.#running.clear();
    for (const settle of this.#awaited.values()) settle(false);
  }

  #request(method: string, params: JsonObject, timeoutMs: number): Promise<boolean> {
    this.#lastId += 1;
    const id = `host-${this.#lastId}`;
    return new Promise((resolve) => {
      const settle = (isAnswered: boolean): void => {
        clearTimeout(timer);
        this.#awaited.delete(id);
        resolve(isAnswered);
      };
      const timer = setTimeout(() => settle(false), timeoutMs);
      this.#awaited.set(id, settle);
      this.#post({ id, method, params });
    });
  }

  async #answer({ id, method, params }: { id: ViewRequestId; method: string; params: JsonObject }): Promise<void> {
    if (this.#running.has(id)) return this.#refuse(undefined, `its id ${JSON.stringify(id)} is in use`);
    const controller = new AbortController();
    try {
      if (this.#running.size >= (this.#options.maxRequests ?? 32)) throw denied('Too many requests at once');
      this.#running.set(id, controller);
      this.#log(method, params);
      const result = await this.#result(method, params, controller.signal);
      if (this.#running.get(id) === controller) this.#post({ id, result });
    } catch (error) {
      if (!controller.signal.aborted) this.#post({ id, error: this.#errorOf(method, error) });
    } finally {
      if (this.#running.get(id) === controller) this.#running.delete(id);
    }
  }

  async #result(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (method === 'ping') return {};
    if (method === 'ui/initialize') return this.#initialize(params);
    if (this.#view === undefined) throw new ProtocolError('invalid-request', 'ui/initialize comes first.');
    if (method === 'ui/request-display-mode') return { mode: await this.#changeMode(params['mode']) };
    if (method === 'ui/update-model-context') return this.#updateModelContext(params, signal);
    const handler = REQUESTS.get(method);
    if (handler === undefined) throw unknownMethod(method);
    return handler(this.#options, params, { signal });
  }

  #initialize(params: JsonObject): JsonObject {
    if (this.#view !== undefined)
      throw new ProtocolError('invalid-request', 'The view is initialized already. A new document needs a new bridge.');
    this.#view = readViewInfo(params);
    this.#phase = 'initializing';
    const { name, version } = this.#options.hostInfo;
    return {
      protocolVersion: APPS_PROTOCOL_VERSION,
      hostInfo: { name, version },
      hostCapabilities: this.#capabilities(),
      hostContext: asJson(this.#context),
    };
  }

  #capabilities(): JsonObject {
    const { open, callTool, tools, readResource, onlog, message, updateModelContext, sandbox } = this.#options;
    return {
      ...(open && { openLinks: {} }),
      ...(callTool && tools && { serverTools: {} }),
      ...(readResource && { serverResources: {} }),
      ...(onlog && { logging: {} }),
      ...(message && { message: { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {} } }),
      ...(updateModelContext && {
        updateModelContext: { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {}, structuredContent: {} },
      }),
      ...(sandbox && { sandbox: asJson(sandbox) }),
    };
  }

  /** Whether the host has the mode and the view, if it has declared any, has declared it. */
  #mayShow(mode: DisplayMode): boolean {
    const { displayModes } = this.#view ?? {};
    return (this.#context.availableDisplayModes ?? []).includes(mode) && (displayModes?.includes(mode) ?? true);
  }

  /** The mode after a wish of the view: the one that it asked for, or the present one. */
  async #changeMode(wanted: unknown): Promise<DisplayMode> {
    if (!isDisplayMode(wanted)) throw invalid('The mode is "inline", "fullscreen" or "pip".');
    if (wanted === this.displayMode || !this.#mayShow(wanted)) return this.displayMode;
    if ((await this.#options.changeDisplayMode?.(wanted)) === true)
      this.#context = { ...this.#context, displayMode: wanted };
    return this.displayMode;
  }

  async #updateModelContext(params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { updateModelContext } = this.#options;
    if (updateModelContext === undefined) throw unknownMethod('ui/update-model-context');
    const context = readModelContext(params);
    if (!(await updateModelContext(context, { signal }))) throw denied('Context update denied');
    this.#modelContext = context;
    return {};
  }

  #hear(method: string, params: JsonObject): void {
    attempt(
      () => this.#heard(method, params),
      (error) => this.#problem(`A callback failed on ${method} of the view`, error),
    );
  }

  /** Returns what the callback of the program returned. */
  #heard(method: string, params: JsonObject): unknown {
    switch (method) {
      case 'ui/notifications/initialized':
        return this.#begin();
      case 'ui/notifications/size-changed':
        return this.#resize(params);
      case 'ui/notifications/request-teardown':
        return this.#options.onteardownrequest?.();
      case 'notifications/message':
        return this.#keepLog(params);
      case 'notifications/cancelled':
        return this.#cancel(params);
      default:
        return this.#refuse(undefined, `nothing is known of the notification ${method}`);
    }
  }

  #begin(): void {
    if (this.#phase !== 'initializing') return this.#refuse(undefined, 'initialized does not come here');
    this.#phase = 'ready';
    const changes = this.#contextChanges;
    this.#contextChanges = {};
    if (Object.keys(changes).length > 0) this.#notify('ui/notifications/host-context-changed', asJson(changes));
    this.#feed.open();
  }

  #resize({ width, height }: JsonObject): unknown {
    const isLength = (value: unknown): boolean =>
      value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 0);
    if (!isLength(width) || !isLength(height)) return this.#refuse(undefined, 'a size is a number of pixels');
    return this.#options.onsize?.({
      ...(typeof width === 'number' && { width }),
      ...(typeof height === 'number' && { height }),
    });
  }

  #keepLog({ level, logger, data = null }: JsonObject): unknown {
    if (typeof level !== 'string' || level.length > 20) return this.#refuse(undefined, 'a log message needs a level');
    return this.#options.onlog?.({ level, ...(typeof logger === 'string' && { logger }), data });
  }

  #cancel({ requestId }: JsonObject): void {
    const controller =
      typeof requestId === 'string' || typeof requestId === 'number' ? this.#running.get(requestId) : undefined;
    if (controller === undefined) return;
    this.#running.delete(requestId as ViewRequestId);
    controller.abort(new Error('The view cancelled its request.'));
  }

  #changeContext(changes: Partial<HostContext>): void {
    this.#context = { ...this.#context, ...changes };
    if (this.#phase === 'ready') this.#notify('ui/notifications/host-context-changed', asJson(changes));
    else if (this.#view !== undefined) this.#contextChanges = { ...this.#contextChanges, ...changes };
  }

  #notify(method: string, params: JsonObject): void {
    this.#post({ method, params });
  }

  #post(message: JsonObject): void {
    if (this.#phase === 'closed') return;
    attempt(
      () => this.#options.send({ jsonrpc: '2.0', ...message }),
      (error) => this.#problem('A message could not be sent to the view', error),
    );
  }

  /** Errors that are meant for a peer go to the view as they are; of any other it learns nothing. */
  #errorOf(method: string, error: unknown): JsonObject {
    if (isProtocolError(error)) return { code: error.code, message: error.message };
    this.#problem(`${method} of the view failed`, error);
    return { code: -32_603, message: 'Internal error' };
  }

  #log(method: string, params: JsonObject): void {
    const shown = [params['name'], params['uri'], params['url']].find((value) => typeof value === 'string');
    this.#write({ method, ...(shown !== undefined && { target: shown.slice(0, 1000) }) });
  }

  /** Refuses a malformed message. A view that sends many is reported at 1, 10, 100 … of them. */
  #refuse(id: ViewRequestId | undefined, fault: string): void {
    this.#malformed += 1;
    if (id !== undefined) this.#post({ id, error: { code: -32_600, message: `Invalid request: ${fault}` } });
    if (!/^10*$/.test(String(this.#malformed))) return;
    this.#write({ malformed: fault, count: this.#malformed });
    this.#problem(`A message of the view was refused: ${fault}`, undefined);
  }

  #write(details: JsonObject): void {
    attempt(
      () => this.#options.audit?.write({ type: 'view', server: this.#options.server, details }),
      (error) => this.#problem('The audit log failed', error),
    );
  }

  #problem(what: string, cause: unknown): void {
    attempt(() => this.#options.onproblem?.(new Error(`${this.#options.server}: ${what}.`, { cause })));
  }
}
