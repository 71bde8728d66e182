import { atOnce } from '../../runtime/guard.ts';
import type { HttpRequest } from '../../transports/http/server/adapters/exchange.ts';
import type { AuthInfo } from '../../transports/transport.ts';
import { principalOf } from '../callers/caller.ts';
import { addressReader, type ClientAddress } from './client-address.ts';

/** How callers over HTTP are told apart. */
export interface CallerOptions {
  /**
   * The name of the caller: sessions, tasks, idempotency keys, states of questions, handles and limits belong to it. A text, or `undefined` for a caller
   * without a name. The verified client with its user (`sub`) and issuer (`iss`) when absent.
   */
  readonly principal?: (authInfo: AuthInfo | undefined, request: HttpRequest) => string | undefined;
  /** The address by which callers without a name are told apart. That of the connection when absent, which behind a proxy is the proxy. */
  readonly clientAddress?: ClientAddress;
}

/** Says once for each request who sends it; everything further in goes by that. */
export class CallerReader {
  readonly #nameOf: CallerOptions['principal'];
  readonly #addressOf: (request: HttpRequest) => string;

  constructor({ principal, clientAddress }: CallerOptions) {
    this.#nameOf = principal;
    this.#addressOf = addressReader(clientAddress);
  }

  /** Throws where the program's own `principal` does, or gives what is no name. */
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
