import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { FAULT_CODES, ProtocolError } from '../../protocol/errors.ts';
import type { Revision } from '../../revisions/revision.ts';
import type { SpokenRevisions } from '../../revisions/selection.ts';
import type { HttpFailure } from '../../transports/http/client/http-failure.ts';
import { discoveredFacts, readDiscoverResult, type ServerFacts } from './server-facts.ts';

/** Result of one `server/discover` request. */
export type ProbeOutcome =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: ProtocolError }
  /** A response that is no message, or whose result has no known shape. */
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'silent'; readonly waitedMs: number }
  /** An HTTP response without a message of the protocol. `cause` is thrown to the caller when the response is inconclusive. */
  | { readonly kind: 'http'; readonly failure: HttpFailure; readonly cause: Error }
  | { readonly kind: 'closed' };

/** Conclusion from a probe. */
export type ProbeVerdict =
  | { readonly kind: 'per-request'; readonly revision: Revision; readonly server: ServerFacts }
  /** Probe again with this revision, which the server has advertised. */
  | { readonly kind: 'again'; readonly revision: Revision }
  /** `offer`: the revision that the server named; `undefined` when it named none. */
  | { readonly kind: 'handshake'; readonly offer: Revision | undefined; readonly why: string }
  | { readonly kind: 'incompatible'; readonly why: string; readonly cause?: ProtocolError }
  /**
   * The response says nothing about the family: `cause` is thrown, and the next connect probes again. `why`: the server may have failed on a
   * method that it does not know, so a handshake is worth a try.
   */
  | { readonly kind: 'undecided'; readonly cause: Error; readonly why?: string };

/** Only these three codes identify a server of the per-request family; servers with a handshake may answer with any other. */
const UNSUPPORTED_VERSION = FAULT_CODES['unsupported-version'];
const PER_REQUEST_CODES: ReadonlySet<number> = new Set([
  UNSUPPORTED_VERSION,
  FAULT_CODES['header-mismatch'],
  FAULT_CODES['missing-capability'],
]);

/** Classifies the outcome of a probe. `asked`: the revision of every probe so far. */
export function classifyProbe(
  outcome: ProbeOutcome,
  spoken: SpokenRevisions,
  asked: readonly Revision[],
): ProbeVerdict {
  if (outcome.kind === 'result') return classifyResult(outcome.result, spoken);
  if (outcome.kind === 'error') return classifyError(outcome.error, spoken, asked);
  if (outcome.kind === 'invalid') return legacy(`its answer to server/discover is invalid: ${outcome.reason}`);
  if (outcome.kind === 'http')
    return concludeHttp(outcome.failure, outcome.cause, (error) => classifyError(error, spoken, asked));
  if (outcome.kind === 'silent') return legacy(`it did not answer server/discover within ${outcome.waitedMs} ms`);
  return legacy('it ended the connection when it was sent server/discover');
}

/** Conclusion from an HTTP response without a message of the protocol. */
export type HttpProbeVerdict = 'handshake' | 'per-request' | 'undecided';

/** Statuses below 500 that come from proxies and access control and say nothing about the server. */
const ON_THE_WAY: ReadonlySet<number> = new Set([401, 403, 407, 408, 425, 429]);
/** Statuses of a server that fails on an unknown method; those of a proxy before it, 502 and above, are not among them. */
const FAILED_ON_IT: ReadonlySet<number> = new Set([500, 501]);

/**
 * The table in docs/connecting.md as a function. In a refusal, only an error code of the per-request family counts; any other error means a
 * server with a handshake.
 */
export function classifyHttpProbe({ status, error }: Pick<HttpFailure, 'status' | 'error'>): HttpProbeVerdict {
  // Browsers show a redirect that is not followed as a status of 0.
  if (status < 200 || status >= 500 || ON_THE_WAY.has(status) || (status >= 300 && status < 400)) return 'undecided';
  return error !== undefined && PER_REQUEST_CODES.has(error.code) ? 'per-request' : 'handshake';
}

function concludeHttp(
  failure: HttpFailure,
  cause: Error,
  classify: (error: ProtocolError) => ProbeVerdict,
): ProbeVerdict {
  const verdict = classifyHttpProbe(failure);
  const { status, contentType, error } = failure;
  if (verdict === 'per-request' && error !== undefined)
    return classify(new ProtocolError(error.code, error.message, error.data, { cause }));
  const said =
    error === undefined ? `(${contentType ?? 'no content type'})` : `and error ${error.code}: ${error.message}`;
  const why = `it answered server/discover with status ${status} ${said}`;
  if (verdict === 'handshake') return legacy(why);
  return FAILED_ON_IT.has(status) ? { kind: 'undecided', cause, why } : { kind: 'undecided', cause };
}

function classifyResult(result: JsonObject, spoken: SpokenRevisions): ProbeVerdict {
  const discovered = readDiscoverResult(result);
  if (discovered === undefined) return legacy('its answer to server/discover names no versions and capabilities');
  const advertised = discovered.supportedVersions;
  const revision = mutual(spoken, advertised).find(({ family }) => family === 'per-request');
  if (revision !== undefined) return { kind: 'per-request', revision, server: discoveredFacts(discovered) };
  return handshakeOrNothing(spoken, advertised);
}

function classifyError(error: ProtocolError, spoken: SpokenRevisions, asked: readonly Revision[]): ProbeVerdict {
  if (!PER_REQUEST_CODES.has(error.code))
    return legacy(`it answered server/discover with error ${error.code}: ${error.message}`);
  if (error.code !== UNSUPPORTED_VERSION)
    return {
      kind: 'incompatible',
      why: `it refused server/discover with error ${error.code}: ${error.message}`,
      cause: error,
    };
  const advertised = supportedIn(error);
  if (advertised.length === 0)
    return {
      kind: 'incompatible',
      why: `it refused the version and named none that it speaks (${error.message})`,
      cause: error,
    };
  const next = nextOf(
    mutual(spoken, advertised).filter(({ family }) => family === 'per-request'),
    asked,
  );
  return next === undefined ? handshakeOrNothing(spoken, advertised) : { kind: 'again', revision: next };
}

/**
 * Each advertised revision is tried once. A server that refuses the only version it advertises is asked a second time: several servers may
 * share its address.
 */
function nextOf(advertised: readonly Revision[], asked: readonly Revision[]): Revision | undefined {
  const untried = advertised.find((revision) => !asked.includes(revision));
  return untried ?? (advertised.length === 1 && asked.length === 1 ? advertised[0] : undefined);
}

/** The versions that an error lists as supported, in either family. */
export function supportedIn(error: ProtocolError): readonly string[] {
  const supported = isJsonObject(error.data) ? error.data['supported'] : undefined;
  return Array.isArray(supported) ? supported.filter((version) => typeof version === 'string') : [];
}

function handshakeOrNothing(spoken: SpokenRevisions, advertised: readonly string[]): ProbeVerdict {
  const offer = mutual(spoken, advertised).find(({ family }) => family === 'handshake');
  if (offer !== undefined) return { kind: 'handshake', offer, why: `it names only ${advertised.join(', ')}` };
  return {
    kind: 'incompatible',
    why: `it speaks ${advertised.join(', ') || 'no version it names'}, this client speaks ${spoken.ids.join(', ')}`,
  };
}

function mutual(spoken: SpokenRevisions, advertised: readonly string[]): readonly Revision[] {
  return spoken.all.filter(({ id }) => advertised.includes(id));
}

function legacy(why: string): ProbeVerdict {
  return { kind: 'handshake', offer: undefined, why };
}
