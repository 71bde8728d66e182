import { kindOf, type JSONRPCNotification, type JSONRPCRequest } from '../../jsonrpc/message.ts';
import { ProtocolError, toProtocolError } from '../../protocol/errors.ts';
import type { Inbound } from '../../protocol/outcome.ts';
import { unsupportedVersion } from '../../revisions/faults.ts';
import { claimedVersion } from '../../revisions/index.ts';
import { isSpecificationMethod } from '../../revisions/specification-methods.ts';
import type { Revision } from '../../revisions/revision.ts';
import type { HttpHeaders, HttpReply, HttpRequest } from '../../transports/http/server/adapters/exchange.ts';
import { checkMirroredHeaders } from '../../transports/http/server/guards/mirrored-headers.ts';
import type { ServerCore } from '../core.ts';
import { mirroredParams } from '../offering/registry.ts';
import { extraOf } from '../../transports/http/server/guards/http-auth.ts';
import { StatelessExchange, type ExchangeShared } from './stateless-exchange.ts';
import { refuse } from '../../transports/http/server/adapters/refuse.ts';

/** Serves requests that carry their facts: each on its own. */
export class StatelessRoute {
  readonly #core: ServerCore;
  readonly #newest: Revision;
  readonly #shared: ExchangeShared;

  constructor(newest: Revision, shared: ExchangeShared) {
    this.#core = shared.core;
    this.#newest = newest;
    this.#shared = shared;
  }

  /**
   * Serves a posted message. False, with nothing done, for one of the handshake family: the body decides first; a header that names a
   * stateless revision makes a body without an envelope malformed, not one of that family.
   */
  post(value: unknown, request: HttpRequest, reply: HttpReply, headers: HttpHeaders): boolean {
    const kind = kindOf(value);
    const claimed = kind === 'request' || kind === 'notification' ? claimedVersion(value as JSONRPCRequest) : undefined;
    if (claimed === undefined && !this.#isNamed(request)) return false;
    if (kind === 'request') {
      const exchange = new StatelessExchange(this.#shared, reply, headers);
      this.#serve(value as JSONRPCRequest, claimed, request, exchange);
    } else if (kind === 'notification') {
      reply.send(202, headers);
      this.#note(value as JSONRPCNotification, request);
    } else refuse(reply, { status: 400, message: 'The body must be one request or one notification.' }, headers);
    return true;
  }

  /** Whether a request whose body names no revision is of this family all the same. */
  #isNamed(request: HttpRequest): boolean {
    const { spoken } = this.#core;
    return (
      !spoken.families.has('handshake') || spoken.find(request.header('mcp-protocol-version'))?.family === 'per-request'
    );
  }

  /** Passes a notification to the program, if it is one of its own. Those of the protocol have no meaning here: a request is cancelled by closing its connection. */
  #note(notification: JSONRPCNotification, request: HttpRequest): void {
    if (!isSpecificationMethod(notification.method))
      this.#core.onnotification(notification, undefined, extraOf(request));
  }

  #serve(message: JSONRPCRequest, claimed: unknown, request: HttpRequest, exchange: StatelessExchange): void {
    const found = this.#core.spoken.find(claimed);
    const revision = found?.family === 'per-request' ? found : this.#newest;
    try {
      const inbound = this.#read(message, claimed, request, revision);
      if (revision !== found) throw unsupportedVersion(claimed, this.#core.spoken);
      exchange.serve(inbound, revision, extraOf(request));
    } catch (error) {
      exchange.refuse(message.id, revision.writeError(toProtocolError(error)));
    }
  }

  /** Reads a request. Throws for an incomplete envelope, or headers that differ from the body. */
  #read(message: JSONRPCRequest, claimed: unknown, request: HttpRequest, revision: Revision): Inbound {
    const named = request.header('mcp-protocol-version');
    // A client of the handshake family gets the list of supported versions.
    if (claimed === undefined && message.method === 'initialize')
      throw unsupportedVersion(message.params?.['protocolVersion'], this.#core.spoken);
    if (claimed === undefined && named === undefined)
      throw new ProtocolError('header-mismatch', 'The header mcp-protocol-version is missing.', {
        header: 'mcp-protocol-version',
      });
    if (claimed === undefined && this.#core.spoken.find(named) === undefined)
      throw unsupportedVersion(named, this.#core.spoken);
    const inbound = revision.readRequest(message);
    checkMirroredHeaders(request, {
      method: inbound.method,
      params: inbound.params,
      claimedVersion: claimed,
      namedBy: this.#core.extensions?.namedBy(inbound.method),
      mirrored: mirroredParams(this.#core.registry(), inbound),
    });
    return inbound;
  }
}
