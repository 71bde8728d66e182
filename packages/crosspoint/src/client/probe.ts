import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';
import { FAULT_CODES, type ProtocolError } from '../protocol/errors.ts';
import type { Revision } from '../revisions/revision.ts';
import type { SpokenRevisions } from '../revisions/selection.ts';
import { discoveredFacts, readDiscoverResult, type ServerFacts } from './server-facts.ts';

/** What became of one `server/discover`. */
export type ProbeOutcome =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: ProtocolError }
  /** An answer that is no message, or whose result has no known shape. */
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'silent'; readonly waitedMs: number }
  | { readonly kind: 'closed' };

/** What a probe outcome says about the server. */
export type ProbeVerdict =
  | { readonly kind: 'per-request'; readonly revision: Revision; readonly server: ServerFacts }
  /** Ask again in this revision, which the server has advertised. */
  | { readonly kind: 'again'; readonly revision: Revision }
  /** `offer`: the revision the server has named; none when it said nothing of the kind. */
  | { readonly kind: 'handshake'; readonly offer: Revision | undefined; readonly why: string }
  | { readonly kind: 'incompatible'; readonly why: string; readonly cause?: ProtocolError };

/** Only these three numbers identify a server of the per-request family: servers of the other one answer with any of the rest. */
const UNSUPPORTED_VERSION = FAULT_CODES['unsupported-version'];
const PER_REQUEST_CODES: ReadonlySet<number> = new Set([UNSUPPORTED_VERSION, FAULT_CODES['header-mismatch'], FAULT_CODES['missing-capability']]);

/** `asked`: every revision in which the server has been probed. */
export function classifyProbe(outcome: ProbeOutcome, spoken: SpokenRevisions, asked: ReadonlySet<Revision>): ProbeVerdict {
  if (outcome.kind === 'result') return classifyResult(outcome.result, spoken);
  if (outcome.kind === 'error') return classifyError(outcome.error, spoken, asked);
  if (outcome.kind === 'invalid') return legacy(`it answered server/discover with something else: ${outcome.reason}`);
  if (outcome.kind === 'silent') return legacy(`it did not answer server/discover within ${outcome.waitedMs} ms`);
  return legacy('it ended the connection when it was sent server/discover');
}

function classifyResult(result: JsonObject, spoken: SpokenRevisions): ProbeVerdict {
  const discovered = readDiscoverResult(result);
  if (discovered === undefined) return legacy('its answer to server/discover names no versions and capabilities');
  const advertised = discovered.supportedVersions;
  const revision = mutual(spoken, advertised).find(({ family }) => family === 'per-request');
  if (revision !== undefined) return { kind: 'per-request', revision, server: discoveredFacts(discovered) };
  return handshakeOrNothing(spoken, advertised);
}

function classifyError(error: ProtocolError, spoken: SpokenRevisions, asked: ReadonlySet<Revision>): ProbeVerdict {
  if (!PER_REQUEST_CODES.has(error.code)) return legacy(`it answered server/discover with error ${error.code}: ${error.message}`);
  if (error.code !== UNSUPPORTED_VERSION) return { kind: 'incompatible', why: `it refused server/discover with error ${error.code}: ${error.message}`, cause: error };
  const advertised = supportedIn(error);
  if (advertised.length === 0) return { kind: 'incompatible', why: `it refused the version and named none that it speaks (${error.message})`, cause: error };
  const next = mutual(spoken, advertised).find((revision) => revision.family === 'per-request' && !asked.has(revision));
  return next === undefined ? handshakeOrNothing(spoken, advertised) : { kind: 'again', revision: next };
}

/** The versions that an error of either family names as supported. */
export function supportedIn(error: ProtocolError): readonly string[] {
  const supported = isJsonObject(error.data) ? error.data['supported'] : undefined;
  return Array.isArray(supported) ? supported.filter((version) => typeof version === 'string') : [];
}

function handshakeOrNothing(spoken: SpokenRevisions, advertised: readonly string[]): ProbeVerdict {
  const offer = mutual(spoken, advertised).find(({ family }) => family === 'handshake');
  if (offer !== undefined) return { kind: 'handshake', offer, why: `it names only ${advertised.join(', ')}` };
  return { kind: 'incompatible', why: `it speaks ${advertised.join(', ') || 'no version it names'}, this client speaks ${spoken.ids.join(', ')}` };
}

function mutual(spoken: SpokenRevisions, advertised: readonly string[]): readonly Revision[] {
  return spoken.all.filter(({ id }) => advertised.includes(id));
}

function legacy(why: string): ProbeVerdict {
  return { kind: 'handshake', offer: undefined, why };
}
