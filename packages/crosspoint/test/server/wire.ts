import type { JSONRPCMessage, JsonObject, RequestId } from '../../src/jsonrpc/message.ts';
import type { ClientCapabilities } from '../../src/protocol/capabilities.ts';
import type { Facts } from '../../src/protocol/outcome.ts';
import { revisions } from '../../src/revisions/index.ts';
import type { Revision } from '../../src/revisions/revision.ts';
import type { McpServer, Server } from '../../src/server/index.ts';
import { InMemoryTransport } from '../../src/transports/memory/in-memory-transport.ts';
import type { AuthInfo, BadFrame } from '../../src/transports/transport.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

export const everyRevision: readonly (readonly [string, Revision])[] = revisions.map((revision) => [
  revision.id,
  revision,
]);
export const handshakes: readonly Revision[] = revisions.filter((revision) => revision.family === 'handshake');
export const everyHandshake: readonly (readonly [string, Revision])[] = handshakes.map((revision) => [
  revision.id,
  revision,
]);

function only(revision: Revision | undefined): Revision {
  if (revision === undefined) throw new Error('There is no such revision.');
  return revision;
}

export const stateless: Revision = only(revisions.find((revision) => revision.family === 'per-request'));
export const newestHandshake: Revision = only(handshakes[0]);
export const oldestHandshake: Revision = only(handshakes.at(-1));
export const batching: Revision = only(revisions.find((revision) => revision.batches));

const LIMIT_MS = 5000;

export interface Frame {
  jsonrpc?: string;
  id?: RequestId | null;
  method?: string;
  params?: JsonObject & { _meta?: JsonObject };
  result?: any;
  error?: { code: number; message: string; data?: any };
}

export interface SpeakOptions {
  id?: RequestId;
  authInfo?: AuthInfo;
  capabilities?: ClientCapabilities;
  client?: Facts['client'];
  logLevel?: Facts['logLevel'];
  progressToken?: RequestId;
}

export function auth(clientId: string, scopes: string[] = []): AuthInfo {
  return { token: `token-of-${clientId}`, clientId, scopes };
}

/** Lets everything that is under way without timers come to rest. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A promise and the function that settles it. */
export interface Gate<T> {
  promise: Promise<T>;
  open: (value: T) => void;
  fail: (error: unknown) => void;
}

export function gate<T = void>(): Gate<T> {
  let open!: (value: T) => void;
  let fail!: (error: unknown) => void;
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}

/** The client's end of a connection, in raw messages. Everything passes as JSON text. */
export class Wire {
  /** Whatever came in, in order. */
  readonly frames: Frame[] = [];
  /** Answers requests of the server; the default refuses them. */
  onrequest: (request: Frame) => JsonObject | undefined | Promise<JsonObject | undefined> = () => undefined;
  readonly transport: InMemoryTransport;
  readonly serverTransport: InMemoryTransport;
  closed = false;
  capabilities: ClientCapabilities = {};
  client = { name: 'wire', version: '1.0' };
  #nextId = 1;
  #session: { revision: Revision; result: any } | undefined;
  #waiting: { wants: (frame: Frame) => boolean; got: (frame: Frame) => void }[] = [];

  constructor(pair: [InMemoryTransport, InMemoryTransport]) {
    [this.transport, this.serverTransport] = pair;
    this.transport.onmessage = (message) => {
      for (const frame of (Array.isArray(message) ? message : [message]) as Frame[]) this.#receive(frame);
    };
    this.transport.onclose = () => {
      this.closed = true;
    };
  }

  /** Connects to a server; nothing is said yet. */
  static async open(server: McpServer | Server, capabilities: ClientCapabilities = {}): Promise<Wire> {
    const wire = new Wire(InMemoryTransport.createLinkedPair({ text: true }));
    wire.capabilities = capabilities;
    await server.connect(wire.serverTransport);
    await wire.transport.start();
    return wire;
  }

  get notifications(): Frame[] {
    return this.frames.filter((frame) => frame.method !== undefined && frame.id === undefined);
  }

  /** Requests that the server sent. */
  get asked(): Frame[] {
    return this.frames.filter((frame) => frame.method !== undefined && frame.id !== undefined);
  }

  notified(method: string): Frame[] {
    return this.notifications.filter((frame) => frame.method === method);
  }

  answers(id: RequestId | null | undefined): Frame[] {
    return this.frames.filter((frame) => frame.method === undefined && frame.id === id);
  }

  /** Anything at all. */
  send(message: unknown, authInfo?: AuthInfo): void {
    if (typeof message === 'object' && message !== null)
      this.transport.send(message as JSONRPCMessage, authInfo && { authInfo });
    else queueMicrotask(() => this.serverTransport.onmessage?.(message as JSONRPCMessage));
  }

  /** What a byte transport tells of input that is no message. */
  sendBadFrame(frame: BadFrame): void {
    this.serverTransport.onbadframe?.(frame);
  }

  notify(method: string, params?: JsonObject): void {
    this.send({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  /** The first frame, past or future, that fits. */
  frame(wants: (frame: Frame) => boolean, what: string): Promise<Frame> {
    const found = this.frames.find(wants);
    if (found) return Promise.resolve(found);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`Did not come: ${what}. Came: ${JSON.stringify(this.frames)}`)),
        LIMIT_MS,
      );
      this.#waiting.push({
        wants,
        got: (frame) => {
          clearTimeout(timer);
          resolve(frame);
        },
      });
    });
  }

  notification(method: string): Promise<Frame> {
    return this.frame((frame) => frame.method === method && frame.id === undefined, method);
  }

  answer(id: RequestId): Promise<Frame> {
    return this.frame((frame) => frame.method === undefined && frame.id === id, `the answer to ${JSON.stringify(id)}`);
  }

  /** The result of `initialize` and the end of the handshake, once for the connection. */
  async handshake(
    revision: Revision,
    capabilities: ClientCapabilities = this.capabilities,
    authInfo?: AuthInfo,
  ): Promise<any> {
    if (this.#session) return this.#session.result;
    const id = this.newId();
    this.send(
      {
        jsonrpc: '2.0',
        id,
        method: 'initialize',
        params: { protocolVersion: revision.id, capabilities, clientInfo: this.client },
      },
      authInfo,
    );
    const { result, error } = await this.answer(id);
    if (error) throw new Error(`initialize failed: ${JSON.stringify(error)}`);
    this.#session = { revision, result };
    this.notify('notifications/initialized');
    return result;
  }

  newId(): number {
    return this.#nextId++;
  }

  /** Sends a request as a client of the revision does and gives its id. The handshake must have been made. */
  start(method: string, params: JsonObject, revision: Revision, options: SpeakOptions = {}): RequestId {
    const {
      id = this.newId(),
      capabilities = this.capabilities,
      client = this.client,
      logLevel,
      progressToken,
      authInfo,
    } = options;
    const facts: Facts = { client, capabilities, ...(logLevel && { logLevel }) };
    const written = clientWordsOf(revision).writeRequest({
      method,
      params,
      facts,
      ...(progressToken !== undefined && { progressToken }),
    });
    this.send({ jsonrpc: '2.0', id, method, params: written }, authInfo);
    return id;
  }

  /** A request and its answer, whatever that is. */
  async request(method: string, params: JsonObject, revision: Revision, options: SpeakOptions = {}): Promise<Frame> {
    if (revision.family === 'handshake') await this.handshake(revision, options.capabilities, options.authInfo);
    return this.answer(this.start(method, params, revision, options));
  }

  async result(method: string, params: JsonObject, revision: Revision, options: SpeakOptions = {}): Promise<any> {
    const frame = await this.request(method, params, revision, options);
    if (frame.result === undefined) throw new Error(`${method} failed: ${JSON.stringify(frame.error)}`);
    return frame.result;
  }

  async error(
    method: string,
    params: JsonObject,
    revision: Revision,
    options: SpeakOptions = {},
  ): Promise<{ code: number; message: string; data?: any }> {
    const frame = await this.request(method, params, revision, options);
    if (frame.error === undefined) throw new Error(`${method} did not fail: ${JSON.stringify(frame.result)}`);
    return frame.error;
  }

  call(name: string, args: JsonObject, revision: Revision, options: SpeakOptions = {}): Promise<any> {
    return this.result('tools/call', { name, arguments: args }, revision, options);
  }

  /** The capabilities as the revision tells them: by initialize or by discover. */
  async declared(revision: Revision): Promise<any> {
    const result =
      revision.family === 'handshake'
        ? await this.handshake(revision)
        : await this.result('server/discover', {}, revision);
    return result.capabilities;
  }

  async close(): Promise<void> {
    await this.transport.close();
  }

  #receive(frame: Frame): void {
    this.frames.push(frame);
    this.#waiting = this.#waiting.filter(({ wants, got }) => {
      if (!wants(frame)) return true;
      got(frame);
      return false;
    });
    if (frame.method !== undefined && frame.id !== undefined && frame.id !== null) void this.#reply(frame, frame.id);
  }

  async #reply(request: Frame, id: RequestId): Promise<void> {
    const result = await this.onrequest(request);
    if (result !== undefined && !this.closed) this.send({ jsonrpc: '2.0', id, result });
  }
}

/** All pages of a list, and how many items each held. */
export async function listAll(wire: Wire, method: string, revision: Revision): Promise<{ items: any[]; pages: any[] }> {
  const items: any[] = [];
  const pages: any[] = [];
  let cursor: string | undefined;
  do {
    const page = await wire.result(method, cursor === undefined ? {} : { cursor }, revision);
    pages.push(page);
    items.push(...Object.values(page).filter(Array.isArray).flat());
    cursor = page.nextCursor;
    if (pages.length > 100) throw new Error('The list does not end.');
  } while (cursor !== undefined);
  return { items, pages };
}
