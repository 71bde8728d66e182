import { authInfoFault, tokenLife } from '../../transports/auth-info.ts';
import type { AuthInfo } from '../../transports/transport.ts';
import { atOnce } from '../../runtime/guard.ts';
import { NO_HEADERS, jsonHeaders } from '../../transports/http/server/adapters/reply-headers.ts';
import { corsHeaders, preflightHeaders } from '../../transports/http/server/guards/cors.ts';
import type { HttpHeaders, HttpReply, HttpRequest } from '../../transports/http/server/adapters/exchange.ts';
import { refusal } from '../../transports/http/server/guards/host-and-origin.ts';
import { CallerReader } from './caller-reader.ts';
import type { McpHandlerOptions } from './options.ts';
import { CLOSING, refuse, type HttpRefusal } from '../../transports/http/server/adapters/refuse.ts';

const NO_CREDENTIALS: HttpRefusal = {
  status: 401,
  headers: { 'WWW-Authenticate': 'Bearer' },
  message: 'The request carries no valid credentials.',
};

export interface EntranceSide {
  isClosing(): boolean;
  onproblem(problem: unknown): void;
}

/** The checks before any work for a request: Host and Origin, authentication, and the caller's identity. They need no server. */
export class Entrance {
  readonly #options: McpHandlerOptions;
  readonly #side: EntranceSide;
  readonly #isGuarded: boolean;
  readonly #callers: CallerReader;
  #hasToldFault = false;

  constructor(options: McpHandlerOptions, side: EntranceSide) {
    this.#options = options;
    this.#side = side;
    this.#callers = new CallerReader(options);
    this.#isGuarded = options.authenticate !== undefined || options.auth !== undefined;
  }

  /** Returns the headers for the answer; `undefined` when the request was refused and answered. Synchronous where no check is asynchronous. */
  admit(request: HttpRequest, reply: HttpReply): HttpHeaders | undefined | Promise<HttpHeaders | undefined> {
    const { cors, healthPath, auth } = this.#options;
    const refused = refusal(request, this.#options);
    if (refused !== undefined) return over(refuse(reply, { status: 403, message: refused }));
    if (request.method === 'OPTIONS' && cors)
      return over(reply.send(204, preflightHeaders(request, cors === true ? {} : cors)));
    const headers: HttpHeaders = cors ? corsHeaders(request) : NO_HEADERS;
    if (healthPath === request.path) return over(this.#tellHealth(request, reply, headers));
    if (this.#side.isClosing()) return over(refuse(reply, CLOSING, headers));
    const answered: unknown = auth && atOnce(auth.answer(request, reply), 'answer');
    if (answered === true) return undefined;
    if (!this.#isGuarded) return this.#pass(this.#refuseUnnamed(request), request, reply, headers);
    return this.#authenticate(request, reply, headers);
  }

  async #authenticate(request: HttpRequest, reply: HttpReply, headers: HttpHeaders): Promise<HttpHeaders | undefined> {
    return this.#pass(await this.#deny(request), request, reply, headers);
  }

  /** Admits a request. Throws where its caller cannot be identified. */
  #pass(
    denied: HttpRefusal | undefined,
    request: HttpRequest,
    reply: HttpReply,
    headers: HttpHeaders,
  ): HttpHeaders | undefined {
    if (denied !== undefined) return over(refuse(reply, denied, headers));
    this.#callers.identify(request);
    return headers;
  }

  /** Why a request is refused. Fails closed: only a result that names a caller admits it. */
  async #deny(request: HttpRequest): Promise<HttpRefusal | undefined> {
    const { authenticate, auth } = this.#options;
    try {
      const checked = auth ? await auth.check(request) : { authInfo: await authenticate?.(request) };
      if ('refused' in checked) return checked.refused;
      return this.#letIn(request, checked.authInfo);
    } catch (error) {
      this.#side.onproblem(error);
      return NO_CREDENTIALS;
    }
  }

  /** Without a check of its own the endpoint uses the identity that the program has verified before. An identity without a client is a refusal that was overlooked. */
  #refuseUnnamed(request: HttpRequest): HttpRefusal | undefined {
    const { authInfo } = request;
    return authInfo === undefined || authInfo === null ? undefined : this.#letIn(request, authInfo);
  }

  #letIn(request: HttpRequest, authInfo: unknown): HttpRefusal | undefined {
    if (authInfo === undefined || authInfo === null || authInfo === false) return NO_CREDENTIALS;
    const fault = authInfoFault(authInfo);
    if (fault !== undefined && !this.#hasToldFault) {
      this.#hasToldFault = true;
      this.#side.onproblem(new TypeError(`A caller was refused: its verified identity names no client. ${fault}`));
    }
    if (fault !== undefined || tokenLife(authInfo as AuthInfo) === 0) return NO_CREDENTIALS;
    request.authInfo = authInfo as AuthInfo;
    return undefined;
  }

  #tellHealth(request: HttpRequest, reply: HttpReply, headers: HttpHeaders): void {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(reply, { status: 405, message: 'The health path takes GET.' }, { ...headers, Allow: 'GET, HEAD' });
    const isReady = !this.#side.isClosing();
    const told = { ...jsonHeaders(headers), 'Cache-Control': 'no-store', ...(!isReady && { 'Retry-After': '1' }) };
    reply.send(
      isReady ? 200 : 503,
      told,
      request.method === 'HEAD' ? undefined : JSON.stringify({ status: isReady ? 'ok' : 'closing' }),
    );
  }
}

/** Marks that the answer has been sent. */
function over(_sent: void): undefined {
  return undefined;
}
