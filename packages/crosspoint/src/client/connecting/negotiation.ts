import { FAULT_CODES, TransportError, type ProtocolError } from '../../protocol/errors.ts';
import type { Revision } from '../../revisions/revision.ts';
import type { SpokenRevisions } from '../../revisions/selection.ts';
import { classifyProbe, supportedIn, type ProbeOutcome, type ProbeVerdict } from './probe.ts';
import type { ServerFacts } from './server-facts.ts';
import type { Verdict } from './verdicts.ts';

/** Result of one `initialize` request. */
export type InitializeOutcome =
  | { readonly kind: 'agreed'; readonly revision: Revision; readonly server: ServerFacts }
  /** `status`: HTTP status of the refusal, unless it was 2xx. */
  | { readonly kind: 'refused'; readonly error: ProtocolError; readonly status?: number | undefined }
  /** An HTTP response that holds no message of the protocol. */
  | { readonly kind: 'unreadable'; readonly status: number; readonly cause: Error }
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The server answered with a version that this client does not speak. */
  | { readonly kind: 'countered'; readonly version: string }
  | { readonly kind: 'closed' };

/** The connection as negotiation uses it. Every method rejects when the time for connecting is over. */
export interface NegotiationPort {
  readonly spoken: SpokenRevisions;
  readonly remembered: Verdict | undefined;
  /** Milliseconds without an answer after which the server counts as silent. */
  readonly probeMs: number;
  /** Whether silence means that the server has a handshake. True for a pipe; over a network, silence may have other reasons. */
  readonly silenceDecides: boolean;
  discover(revision: Revision, timeoutMs: number | undefined): Promise<ProbeOutcome>;
  initialize(offer: Revision): Promise<InitializeOutcome>;
  /** Starts the server again after it exited; `false` where the transport cannot. */
  restart(): Promise<boolean>;
  /** Why the last run of the transport ended, where it knows. */
  lastFailure(): Error | undefined;
}

export type Negotiated =
  /** `unsure`: the server may support a newer revision, so it is probed again on the next connect. */
  | { readonly kind: 'agreed'; readonly revision: Revision; readonly server: ServerFacts; readonly unsure?: boolean }
  | { readonly kind: 'failed'; readonly error: Error };

type Failed = Exclude<InitializeOutcome, { kind: 'agreed' }>;

/** Finds the family and the revision. The server is probed in place, and started again only when it has exited. */
export async function negotiate(port: NegotiationPort): Promise<Negotiated> {
  const { spoken, remembered } = port;
  const newest = spoken.newest('per-request');
  const offer = spoken.newest('handshake');
  if (newest === undefined)
    return settle(port, offer === undefined ? { kind: 'closed' } : await port.initialize(offer), '');
  if (remembered?.family === 'handshake' && offer !== undefined) {
    const opened = await port.initialize(offer);
    if (opened.kind === 'agreed') return opened;
    if (opened.kind === 'closed' && !(await port.restart())) return closed(port, 'initialize');
  }
  const known = remembered?.family === 'per-request' ? spoken.find(remembered.revision) : undefined;
  // A time limit makes sense only where there is another family to try, and not for a server that is known to answer `server/discover`.
  const timeoutMs = offer === undefined || known !== undefined ? undefined : port.probeMs;
  const probed = await probe(port, known ?? newest, timeoutMs);
  return concludeProbe(port, probed);
}

interface Probed {
  readonly verdict: Exclude<ProbeVerdict, { kind: 'again' }>;
  readonly outcome: ProbeOutcome;
}

async function probe(port: NegotiationPort, first: Revision, timeoutMs: number | undefined): Promise<Probed> {
  const asked: Revision[] = [];
  for (let revision = first; ;) {
    asked.push(revision);
    const outcome = await port.discover(revision, timeoutMs);
    const verdict = classifyProbe(outcome, port.spoken, asked);
    if (verdict.kind !== 'again') return { verdict, outcome };
    revision = verdict.revision;
  }
}

async function concludeProbe(port: NegotiationPort, { verdict, outcome }: Probed): Promise<Negotiated> {
  if (verdict.kind === 'per-request') return { kind: 'agreed', revision: verdict.revision, server: verdict.server };
  if (verdict.kind === 'undecided') return { kind: 'failed', error: verdict.cause };
  if (verdict.kind === 'incompatible')
    return failed(
      port,
      `The client and the server have no protocol revision in common: ${verdict.why}.`,
      verdict.cause,
    );
  const offer = verdict.offer ?? port.spoken.newest('handshake');
  if (offer === undefined) {
    if (outcome.kind === 'closed') return closed(port, 'server/discover');
    const hint = 'Allow a revision of the handshake family in the "revisions" option, or update the server.';
    return failed(
      port,
      `The server seems to speak only revisions with a handshake: ${verdict.why}. This client speaks only ${port.spoken.ids.join(', ')}. ${hint}`,
    );
  }
  if (outcome.kind === 'closed' && !(await port.restart())) return closed(port, 'server/discover');
  return openHandshake(port, offer, { verdict, outcome });
}

async function openHandshake(port: NegotiationPort, offer: Revision, probed: Probed): Promise<Negotiated> {
  const why = probed.verdict.kind === 'handshake' ? probed.verdict.why : '';
  let opened = await port.initialize(offer);
  // A server that exits on an unknown request may have read the probe only now, after a slow start.
  if (opened.kind === 'closed' && probed.outcome.kind !== 'closed' && (await port.restart()))
    opened = await port.initialize(offer);
  if (mayHaveBeenSlow(opened, probed.outcome, port.spoken)) {
    const newest = port.spoken.newest('per-request');
    const second = newest === undefined ? undefined : await probe(port, newest, undefined);
    if (second?.verdict.kind === 'per-request')
      return { kind: 'agreed', revision: second.verdict.revision, server: second.verdict.server };
  }
  if (opened.kind === 'agreed') return { ...opened, unsure: probed.outcome.kind === 'silent' && !port.silenceDecides };
  return explain(port, opened, why);
}

/** Whether a server that refused the handshake may speak a per-request revision and was still starting when it was probed. */
function mayHaveBeenSlow(opened: InitializeOutcome, outcome: ProbeOutcome, spoken: SpokenRevisions): boolean {
  if (opened.kind !== 'refused' && opened.kind !== 'unreadable') return false;
  if (outcome.kind === 'silent') return true;
  const error = opened.kind === 'refused' ? opened.error : undefined;
  return (
    error !== undefined &&
    error.code === FAULT_CODES['unsupported-version'] &&
    supportedIn(error).some((id) => spoken.find(id)?.family === 'per-request')
  );
}

function settle(port: NegotiationPort, opened: InitializeOutcome, why: string): Negotiated {
  return opened.kind === 'agreed' ? opened : explain(port, opened, why);
}

function explain(port: NegotiationPort, opened: Failed, why: string): Negotiated {
  if (opened.kind === 'closed') return closed(port, 'initialize');
  if (opened.kind === 'invalid') return failed(port, `The server's answer to initialize is invalid: ${opened.reason}.`);
  if (opened.kind === 'countered')
    return failed(
      port,
      `The server wants to speak "${opened.version}", this client speaks ${port.spoken.ids.join(', ')}.`,
    );
  const before = why === '' ? '' : ` (before that, ${why})`;
  const twoEndpoints = mayHaveTwoEndpoints(opened, port.spoken.newest('handshake'));
  if (opened.kind === 'unreadable')
    return failed(
      port,
      `The server does not seem to speak the protocol at this address. ${opened.cause.message}${before}`,
      opened.cause,
      twoEndpoints,
    );
  return failed(
    port,
    `The server refused initialize with error ${opened.error.code}: ${opened.error.message}${before}`,
    opened.error,
    twoEndpoints,
  );
}

/**
 * Whether the refusal is typical of a server with the SSE transport (two endpoints). A server that uses the protocol's own error codes has
 * Streamable HTTP.
 */
function mayHaveTwoEndpoints(opened: Failed, offer: Revision | undefined): boolean {
  if (opened.kind !== 'refused' && opened.kind !== 'unreadable') return false;
  const { status } = opened;
  if (status === undefined || offer?.http.suggestsTwoEndpoints(status) !== true) return false;
  return opened.kind === 'unreadable' || !OWN_ERRORS.has(opened.error.code);
}

const OWN_ERRORS: ReadonlySet<number> = new Set([
  FAULT_CODES['unsupported-version'],
  FAULT_CODES['header-mismatch'],
  FAULT_CODES['missing-capability'],
  FAULT_CODES['method-not-found'],
]);

function failed(port: NegotiationPort, message: string, cause?: Error, mayHaveTwoEndpoints = false): Negotiated {
  const details = { spoken: port.spoken.ids, mayHaveTwoEndpoints };
  return {
    kind: 'failed',
    error: new TransportError('negotiation-failed', message, details, cause === undefined ? undefined : { cause }),
  };
}

function closed(port: NegotiationPort, during: string): Negotiated {
  const cause = port.lastFailure();
  const message = `The server ended the connection during ${during}${cause === undefined ? '.' : `: ${cause.message}`}`;
  return {
    kind: 'failed',
    error: new TransportError('closed', message, { during }, cause === undefined ? undefined : { cause }),
  };
}
