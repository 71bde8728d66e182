import { atOnce } from '../../runtime/guard.ts';
import type { HttpRequest } from '../../transports/http/server/adapters/exchange.ts';
import type { AuthInfo } from '../../transports/transport.ts';
import { principalOf } from '../callers/caller.ts';
import { addressReader, type ClientAddress } from './client-address.ts';

/** How callers over HTTP are told apart. */
export interface CallerOptions {
  /**
   * Returns the name of the caller, which owns its sessions, tasks, idempotency keys, states of questions, handles and limits; `undefined` for a caller
   * without a name. When absent: the verified client with its user (`sub`) and issuer (`iss`).
   */
  readonly principal?: (authInfo: AuthInfo | undefined, request: HttpRequest) => string | undefined;
  /** The address by which callers without a name are told apart; that of the connection when absent, which behind a proxy is the proxy's. */
  readonly clientAddress?: ClientAddress;
}

/** Identifies the sender of each request once; all later code uses the result. */
export class CallerReader {
  readonly #nameOf: CallerOptions['principal'];
  readonly #addressOf: (request: HttpRequest) => string;

  constructor({ principal, clientAddress }: CallerOptions) {
    this.#nameOf = principal;
    this.#addressOf = addressReader(clientAddress);
  }

  /** Sets name and address of the request. Throws where the program's `principal` throws, or returns a value that is no name. */
  identify(request: HttpRequest): void {
    request.address = this.#addressOf(request);
    const given: unknown = this.#nameOf
      ? atOnce(this.#nameOf(request.authInfo, request), 'principal')
      : principalOf(request.authInfo);
    if ((typeof given !== 'string' || given === '') && given !== undefined && given !== null)
      throw new TypeError('principal must give a text that is not empty, or undefined for a caller without a name.');
    request.principal = given ?? null;
  }
}
