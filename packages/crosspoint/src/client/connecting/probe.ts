import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { FAULT_CODES, ProtocolError } from '../../protocol/errors.ts';
import type { Revision } from '../../revisions/revision.ts';
import type { SpokenRevisions } from '../../revisions/selection.ts';
import type { HttpFailure } from '../../transports/http/client/http-failure.ts';
import { discoveredFacts, readDiscoverResult, type ServerFacts } from './server-facts.ts';

/** What became of one `server/discover`. */
export type ProbeOutcome =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: ProtocolError }
  /** An answer that is no message, or whose result has no known shape. */
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'silent'; readonly waitedMs: number }
  /** An HTTP answer that is not the answer of the protocol. `cause` is what the caller is told when nothing can be concluded. */
  | { readonly kind: 'http'; readonly failure: HttpFailure; readonly cause: Error }
  | { readonly kind: 'closed' };

/** What a probe outcome says about the server. */
export type ProbeVerdict =
  | { readonly kind: 'per-request'; readonly revision: Revision; readonly server: ServerFacts }
  /** Ask again in this revision, which the server has advertised. */
  | { readonly kind: 'again'; readonly revision: Revision }
  /** `offer`: the revision the server has named; none when it said nothing of the kind. */
  | { readonly kind: 'handshake'; readonly offer: Revision | undefined; readonly why: string }
  | { readonly kind: 'incompatible'; readonly why: string; readonly cause?: ProtocolError }
  /** Nothing was said about the family: the obstacle is reported, and the next attempt asks again. */
  | { readonly kind: 'undecided'; readonly cause: Error };

/** Only these three numbers identify a server of the per-request family: servers of the other one answer with any of the rest. */
const UNSUPPORTED_VERSION = FAULT_CODES['unsupported-version'];
const PER_REQUEST_CODES: ReadonlySet<number> = new Set([
  UNSUPPORTED_VERSION,
  FAULT_CODES['header-mismatch'],
  FAULT_CODES['missing-capability'],
]);

/** `asked`: the revision of every probe so far. */
export function classifyProbe(
  outcome: ProbeOutcome,
  spoken: SpokenRevisions,
  asked: readonly Revision[],
): ProbeVerdict {
  if (outcome.kind === 'result') return classifyResult(outcome.result, spoken);
  if (outcome.kind === 'error') return classifyError(outcome.error, spoken, asked);
  if (outcome.kind === 'invalid') return legacy(`it answered server/discover with something else: ${outcome.reason}`);
  if (outcome.kind === 'http')
    return concludeHttp(outcome.failure, outcome.cause, (error) => classifyError(error, spoken, asked));
  if (outcome.kind === 'silent') return legacy(`it did not answer server/discover within ${outcome.waitedMs} ms`);
  return legacy('it ended the connection when it was sent server/discover');
}

/** What an HTTP answer to `server/discover` says that is not its answer in the protocol. */
export type HttpProbeVerdict = 'handshake' | 'per-request' | 'undecided';

/** Statuses below 500 that tell of the way to the server, not of the server: who may pass, and when. */
const ON_THE_WAY: ReadonlySet<number> = new Set([401, 403, 407, 408, 425, 429]);

/**
 * The published table (docs/connecting.md) as a function. Only an error that identifies the per-request family is looked at in a refusal;
 * what is merely unknown there is a server with a handshake.
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
  if (verdict === 'undecided') return { kind: 'undecided', cause };
  const { status, contentType, error } = failure;
  if (verdict === 'per-request' && error !== undefined)
    return classify(new ProtocolError(error.code, error.message, error.data, { cause }));
  const said =
    error === undefined ? `(${contentType ?? 'no content type'})` : `and error ${error.code}: ${error.message}`;
  return legacy(`it answered server/discover with status ${status} ${said}`);
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

/** Each is tried once. Only a server that refuses the very version it names alone is asked again: it may be one of several behind its address. */
function nextOf(advertised: readonly Revision[], asked: readonly Revision[]): Revision | undefined {
  const untried = advertised.find((revision) => !asked.includes(revision));
  return untried ?? (advertised.length === 1 && asked.length === 1 ? advertised[0] : undefined);
}

/** The versions that an error of either family names as supported. */
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
