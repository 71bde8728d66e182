import { kindOf, type JSONRPCRequest } from '../../jsonrpc/message.ts';
import { accepts } from '../../transports/http/server/guards/media.ts';
import type { HttpHeaders, HttpReply, HttpRequest } from '../../transports/http/server/adapters/exchange.ts';
import { HeldReply } from '../../transports/http/server/adapters/held-reply.ts';
import { StreamableSession } from '../../transports/http/server/sessions/streamable-session.ts';
import type { StreamableShared } from '../../transports/http/server/sessions/streamable-session-options.ts';
import type { ServerCore } from '../core.ts';
import { concernsConnection } from '../features/built-in.ts';
import { assumedSession, spokenHandshake } from '../session/session.ts';
import type { LiveSession } from './sessions/live-session.ts';
import type { Sessions } from './sessions/sessions.ts';
import { extraOf } from '../../transports/http/server/guards/http-auth.ts';
import { StatelessExchange, type ExchangeShared } from './stateless-exchange.ts';
import { refuse, type HttpRefusal } from '../../transports/http/server/adapters/refuse.ts';
import { unsupportedVersion } from '../../transports/http/server/sessions/session-refusals.ts';

/** Serves clients of the handshake family. */
export interface HandshakeRoute {
  /** The value of the `Allow` header. */
  readonly allow: string;
  post(value: unknown, request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> | void;
  get(request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void>;
  delete(request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void>;
}

const TOO_MANY: HttpRefusal = {
  status: 503,
  kind: 'rate-limited',
  message: 'There are too many sessions.',
  headers: { 'Retry-After': '30' },
};
const OVER: HttpRefusal = { status: 404, message: 'The session is over or never was: send initialize again.' };
const INITIALIZED: HttpRefusal = {
  status: 400,
  message: 'The session is initialized already; a new one begins without the Mcp-Session-Id header.',
};

interface Posted {
  readonly value: unknown;
  readonly request: HttpRequest;
  readonly reply: HttpReply;
  readonly headers: HttpHeaders;
}

function hasRequests(value: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  return messages.some((message) => kindOf(message) === 'request');
}

function isInitialize(value: unknown): boolean {
  return (value as JSONRPCRequest | null)?.method === 'initialize' && kindOf(value) === 'request';
}

/** Serves with sessions: the client's facts and settings are remembered between its requests. */
export class SessionRoute implements HandshakeRoute {
  readonly allow = 'POST, GET, DELETE';
  readonly #core: ServerCore;
  readonly #sessions: Sessions;

  constructor(core: ServerCore, sessions: Sessions) {
    this.#core = core;
    this.#sessions = sessions;
  }

  post(value: unknown, request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> | undefined {
    if (isInitialize(value)) return this.#initialize(value, request, reply, headers);
    const session = this.#session(request, reply, headers);
    if (session instanceof Promise || this.#sessions.nodes)
      return this.#postShared(session, { value, request, reply, headers });
    session?.transport.post(value, request, reply, headers);
    return session && this.#sessions.save(session);
  }

  async #postShared(
    found: LiveSession | undefined | Promise<LiveSession | undefined>,
    { value, request, reply, headers }: Posted,
  ): Promise<void> {
    const session = await found;
    if (!session) return;
    const { nodes } = this.#sessions;
    const here = nodes === undefined ? value : await nodes.sendElsewhere(value, session);
    if (here === undefined) return reply.send(202, headers);
    if (nodes === undefined || hasRequests(here)) {
      session.transport.post(here, request, reply, headers);
      return this.#sessions.save(session);
    }
    // A message is acknowledged only after its effects are stored for all nodes.
    const held = new HeldReply(reply);
    session.transport.post(here, request, held, headers);
    await this.#sessions.save(session);
    held.release();
  }

  async get(request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> {
    if (!accepts(request.header('accept'), 'text/event-stream'))
      return refuse(reply, { status: 406, message: 'GET needs Accept: text/event-stream.' }, headers);
    const session = await this.#session(request, reply, headers);
    await session?.transport.get(request, reply, headers);
  }

  async delete(request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> {
    const session = await this.#session(request, reply, headers);
    if (!session) return;
    await this.#sessions.end(session);
    reply.send(200, headers);
  }

  async #initialize(value: unknown, request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> {
    if (request.header('mcp-session-id') !== undefined) {
      const session = await this.#session(request, reply, headers);
      if (session) refuse(reply, INITIALIZED, headers);
      return;
    }
    const session = await this.#sessions.create(request);
    if (!session) return refuse(reply, TOO_MANY, headers);
    // The client may use its session on any node as soon as it knows the id, so the session is stored before the answer is sent.
    const held = new HeldReply(reply);
    session.transport.post(value, request, held, headers);
    try {
      // Middleware around the handshake may be slow.
      if (session.connection.session === undefined) await held.whenAnswered();
      const admitted = this.#sessions.admit(session);
      if (admitted !== true && !(await admitted)) return refuse(reply, TOO_MANY, headers);
    } catch (error) {
      await this.#sessions.end(session).catch(() => {});
      throw error;
    }
    held.release();
  }

  /** The session that a request names; `undefined` when the refusal has been sent. */
  #session(
    request: HttpRequest,
    reply: HttpReply,
    headers: HttpHeaders,
  ): LiveSession | undefined | Promise<LiveSession | undefined> {
    const named = request.header('mcp-protocol-version');
    const id = request.header('mcp-session-id');
    const isVersion = named === undefined || this.#core.spoken.find(named)?.family === 'handshake';
    if (!isVersion) refuse(reply, unsupportedVersion(named), headers);
    else if (id === undefined)
      refuse(reply, { status: 400, message: 'The Mcp-Session-Id header is missing: send initialize first.' }, headers);
    if (!isVersion || id === undefined) return undefined;
    const told = (session: LiveSession | undefined): LiveSession | undefined => {
      if (!session) refuse(reply, OVER, headers);
      return session;
    };
    const found = this.#sessions.find(id, request);
    return found instanceof Promise ? found.then(told) : told(found);
  }
}

/** Serves without sessions: each request on its own, with nothing known of its client. */
export class SessionlessRoute implements HandshakeRoute {
  readonly allow = 'POST';
  readonly #shared: ExchangeShared;
  readonly #transport: StreamableShared;

  constructor(shared: ExchangeShared, transport: StreamableShared) {
    this.#shared = shared;
    this.#transport = transport;
  }

  post(value: unknown, request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> | void {
    const named = request.header('mcp-protocol-version');
    const message = kindOf(value) === 'request' ? (value as JSONRPCRequest) : undefined;
    const revision = message?.method === 'initialize' ? undefined : spokenHandshake(this.#shared.core, named);
    if (revision === undefined && message?.method !== 'initialize')
      return refuse(reply, unsupportedVersion(named), headers);
    if (message === undefined || revision === undefined || concernsConnection(message.method))
      return this.#connect(value, request, reply, headers);
    const exchange = new StatelessExchange(this.#shared, reply, headers);
    exchange.serve(revision.readRequest(message), revision, extraOf(request));
  }

  /** Serves with a connection that lasts until the answer: for a handshake, for batches, and for methods about the connection. */
  async #connect(value: unknown, request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> {
    const { core } = this.#shared;
    const session = isInitialize(value) ? undefined : assumedSession(core, request.header('mcp-protocol-version'));
    const transport: StreamableSession = new StreamableSession(this.#transport, {
      sessionId: undefined,
      events: undefined,
      onidle: () => queueMicrotask(() => void transport.close()),
    });
    await core.open(transport, session);
    if (session) transport.setProtocolVersion(session.revision.id);
    transport.post(value, request, reply, headers);
  }

  async get(_request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> {
    refuse(
      reply,
      { status: 405, message: 'There are no sessions here, so there is nothing to listen to.' },
      { ...headers, Allow: this.allow },
    );
  }

  async delete(_request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> {
    refuse(
      reply,
      { status: 405, message: 'There are no sessions here, so there is none to end.' },
      { ...headers, Allow: this.allow },
    );
  }
}
