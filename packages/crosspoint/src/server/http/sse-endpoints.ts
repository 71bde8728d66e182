import { ProtocolError } from '../../protocol/errors.ts';
import { sendError } from '../../transports/http/answers.ts';
import type { HttpHeaders, HttpReply, HttpRequest } from '../../transports/http/exchange.ts';
import { SsePairSession } from '../../transports/http/sse-pair-session.ts';
import type { Ticker } from '../../transports/http/ticker.ts';
import type { ServerCore } from '../core.ts';

const MAX_STREAMS = 1000;

/**
 * The transport of the oldest revision, on paths of its own.
 *
 * @deprecated HTTP+SSE is deprecated by SEP-2596; the earliest removal is three months after that became final.
 */
export class SseEndpoints {
  readonly #core: ServerCore;
  readonly #ssePath: string;
  readonly #messagesPath: string;
  readonly #ticker: Ticker;
  readonly #sessions = new Map<string, { readonly transport: SsePairSession; readonly principal: string | undefined }>();

  constructor(core: ServerCore, paths: { ssePath?: string; messagesPath?: string }, ticker: Ticker) {
    this.#core = core;
    this.#ssePath = paths.ssePath ?? '/sse';
    this.#messagesPath = paths.messagesPath ?? '/messages';
    this.#ticker = ticker;
  }

  serves({ path, method }: HttpRequest): boolean {
    return (path === this.#ssePath && method === 'GET') || (path === this.#messagesPath && method === 'POST');
  }

  async handle(request: HttpRequest, reply: HttpReply, readBody: (request: HttpRequest) => Promise<{ value: unknown } | undefined>, headers: HttpHeaders): Promise<void> {
    if (request.method === 'GET') return this.#open(request, reply, headers);
    const session = this.#sessions.get(new URLSearchParams(request.query).get('sessionId') ?? '');
    if (session === undefined || session.principal !== request.authInfo?.clientId) return this.#refuse(reply, 404, 'There is no such session.', headers);
    const body = await readBody(request);
    if (body) session.transport.post(body.value, request, reply, headers);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  async #open(request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<void> {
    if (this.#sessions.size >= MAX_STREAMS) return this.#refuse(reply, 503, 'There are too many streams.', { ...headers, 'Retry-After': '30' });
    const id = crypto.randomUUID();
    const transport = new SsePairSession(id, this.#messagesPath, reply, { headers, ticker: this.#ticker });
    this.#sessions.set(id, { transport, principal: request.authInfo?.clientId });
    transport.onclose = () => void this.#sessions.delete(id);
    await this.#core.open(transport);
  }

  #refuse(reply: HttpReply, status: number, message: string, headers: HttpHeaders): void {
    const revision = this.#core.spoken.newest('handshake');
    if (revision) sendError(reply, status, revision.writeError(new ProtocolError('invalid-request', message)), { headers });
  }
}
