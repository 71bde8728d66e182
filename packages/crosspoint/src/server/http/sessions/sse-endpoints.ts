import type { HttpHeaders, HttpReply, HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import { SsePairSession, type SsePairOptions } from '../../../transports/http/server/sessions/sse-pair-session.ts';
import { newHolding, type Holding, type Keeper } from '../../../stores/shares.ts';
import { ownerIn } from '../../callers/caller.ts';
import type { ServerCore } from '../../core.ts';
import type { LegacySseOptions } from '../options.ts';
import { Slots } from './slots.ts';
import { refuse } from '../../../transports/http/server/adapters/refuse.ts';

export interface SseShared extends Pick<SsePairOptions, 'ticker' | 'work' | 'keepAliveMs'> {
  readonly core: ServerCore;
  /** The body of a POST; `undefined` when the refusal has been sent. */
  readonly readBody: (
    request: HttpRequest,
    reply: HttpReply,
    headers: HttpHeaders,
  ) => Promise<{ value: unknown } | undefined>;
}

/** A stream and its slot. */
interface OpenPair extends Holding {
  readonly transport: SsePairSession;
  readonly principal: string | undefined;
}

/**
 * The transport of the oldest revision, on paths of its own.
 *
 * @deprecated HTTP+SSE is deprecated by SEP-2596; the earliest removal is three months after that became final.
 */
export class SseEndpoints implements Keeper {
  readonly #shared: SseShared;
  readonly #ssePath: string;
  readonly #messagesPath: string;
  readonly #samePath: boolean;
  readonly #slots: Slots;
  readonly #sessions = new Map<string, OpenPair>();

  constructor(
    shared: SseShared,
    { ssePath = '/sse', messagesPath = '/messages', samePath = false, max = 1000 }: LegacySseOptions,
  ) {
    this.#shared = shared;
    this.#ssePath = ssePath;
    this.#messagesPath = messagesPath;
    this.#samePath = samePath;
    this.#slots = new Slots(max);
  }

  get size(): number {
    return this.#sessions.size;
  }

  hasPath(path: string): boolean {
    return path === this.#ssePath || path === this.#messagesPath;
  }

  /** Whether the request is for this transport: by its path, or on the endpoint's path by a form that no client of a newer revision uses. */
  serves(request: HttpRequest): boolean {
    if (this.hasPath(request.path)) return true;
    if (!this.#samePath) return false;
    if (request.method === 'GET')
      return request.header('mcp-session-id') === undefined && request.header('mcp-protocol-version') === undefined;
    return request.method === 'POST' && this.#named(request) !== undefined;
  }

  async handle(request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> {
    const { method, path } = request;
    const mayOpen = path !== this.#messagesPath || this.#messagesPath === this.#ssePath;
    const mayPost = path !== this.#ssePath || this.#messagesPath === this.#ssePath;
    if (method === 'GET' && mayOpen) return this.#open(request, reply, headers);
    if (method === 'POST' && mayPost) return this.#post(request, reply, headers);
    const allow = [mayOpen && 'GET', mayPost && 'POST'].filter(Boolean).join(', ');
    refuse(
      reply,
      { status: 405, message: `${method} is not for ${path.slice(0, 100)}.` },
      { ...headers, Allow: allow },
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  /** Ends a stream whose slot is needed for a caller with fewer. */
  shed(holding: Holding): void {
    void (holding as OpenPair).transport.close();
  }

  async #open(request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> {
    const { core, ...rest } = this.#shared;
    const owner = ownerIn(request) ?? 'address:';
    if (!this.#slots.hasRoom(owner))
      return refuse(
        reply,
        { status: 503, kind: 'rate-limited', message: 'There are too many streams.' },
        { ...headers, 'Retry-After': '30' },
      );
    const id = crypto.randomUUID();
    const onSamePath = request.path !== this.#ssePath;
    const transport = new SsePairSession(id, onSamePath ? request.path : this.#messagesPath, reply, {
      ...rest,
      headers,
      clock: core.clock,
      authInfo: request.authInfo,
    });
    const open: OpenPair = { transport, principal: request.principal ?? undefined, ...newHolding(this) };
    this.#sessions.set(id, open);
    this.#slots.take(owner, open);
    transport.onclose = () => {
      this.#sessions.delete(id);
      this.#slots.release(open);
    };
    await core.open(transport);
  }

  async #post(request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> {
    const session = this.#named(request);
    if (session === undefined || session.principal !== (request.principal ?? undefined))
      return refuse(reply, { status: 404, message: 'There is no such session.' }, headers);
    this.#slots.use(session);
    const body = await this.#shared.readBody(request, reply, headers);
    if (body) session.transport.post(body.value, request, reply, headers);
  }

  #named(request: HttpRequest): OpenPair | undefined {
    return this.#sessions.get(new URLSearchParams(request.query).get('sessionId') ?? '');
  }
}
