import { FAULT_CODES, TransportError, type ProtocolError } from '../../protocol/errors.ts';
import type { Revision } from '../../revisions/revision.ts';
import { clientWordsOf } from '../../revisions/client-words.ts';
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
  /** Whether a start begins a process of the server that has seen nothing yet. True for stdio. */
  readonly startsProcess: boolean;
  discover(revision: Revision, timeoutMs: number | undefined): Promise<ProbeOutcome>;
  initialize(offer: Revision): Promise<InitializeOutcome>;
  /** Starts the server again when its process has ended, which is asked of it if needed; `false` where the transport cannot. */
  restart(): Promise<boolean>;
  /** Why the last run of the transport ended, where it knows. */
  lastFailure(): Error | undefined;
}

export type Negotiated =
  /** `unsure`: the server may support a newer revision, so it is probed again on the next connect. */
  | { readonly kind: 'agreed'; readonly revision: Revision; readonly server: ServerFacts; readonly unsure?: boolean }
  | { readonly kind: 'failed'; readonly error: Error };

type Failed = Exclude<InitializeOutcome, { kind: 'agreed' }>;

/** Finds the family and the revision. The server is probed in place, and started again only when it has exited or mistaken the probe. */
export async function negotiate(port: NegotiationPort): Promise<Negotiated> {
  const { spoken, remembered } = port;
  const newest = spoken.newest('per-request');
  const offer = spoken.newest('handshake');
  if (newest === undefined)
    return settle(port, offer === undefined ? { kind: 'closed' } : await port.initialize(offer), '');
  let wasRefused = false;
  if (remembered?.family === 'handshake' && offer !== undefined) {
    const opened = await port.initialize(offer);
    if (opened.kind === 'agreed') return opened;
    if (opened.kind === 'closed' && !(await port.restart())) return closed(port, 'initialize');
    wasRefused = opened.kind !== 'closed';
  }
  const known = remembered?.family === 'per-request' ? spoken.find(remembered.revision) : undefined;
  // A time limit makes sense only where there is another family to try, and not for a server that is known to answer `server/discover`.
  const timeoutMs = offer === undefined || known !== undefined ? undefined : port.probeMs;
  const probed = await probe(port, known ?? newest, timeoutMs);
  return concludeProbe(port, { ...probed, wasRefused });
}

interface Probed {
  readonly verdict: Exclude<ProbeVerdict, { kind: 'again' }>;
  readonly outcome: ProbeOutcome;
  /** Whether the server had refused the handshake before it was probed. */
  readonly wasRefused?: boolean;
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

async function concludeProbe(port: NegotiationPort, probed: Probed): Promise<Negotiated> {
  const { verdict, outcome } = probed;
  if (verdict.kind === 'per-request') return { kind: 'agreed', revision: verdict.revision, server: verdict.server };
  if (verdict.kind === 'undecided') return concludeUndecided(port, probed, verdict.cause);
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
  return openHandshake(port, offer, probed);
}

/** Tries a handshake where the server itself seems to have failed on the probe. */
async function concludeUndecided(port: NegotiationPort, probed: Probed, cause: Error): Promise<Negotiated> {
  const offer = whyHandshake(probed.verdict) === undefined ? undefined : port.spoken.newest('handshake');
  return offer === undefined ? { kind: 'failed', error: cause } : openHandshake(port, offer, probed);
}

function whyHandshake(verdict: ProbeVerdict): string | undefined {
  return verdict.kind === 'handshake' || verdict.kind === 'undecided' ? verdict.why : undefined;
}

async function openHandshake(port: NegotiationPort, offer: Revision, probed: Probed): Promise<Negotiated> {
  let isNew = probed.outcome.kind === 'closed';
  let opened = await port.initialize(offer);
  // A server that exits on an unknown request may have read the probe only now, after a slow start.
  if (opened.kind === 'closed' && !isNew && (await port.restart())) {
    isNew = true;
    opened = await port.initialize(offer);
  }
  if (mayHaveBeenSlow(opened, probed.outcome, port.spoken)) {
    const newest = port.spoken.newest('per-request');
    // It has just answered, so it is up and needs no more time than that of a probe.
    const second = newest === undefined ? undefined : await probe(port, newest, port.probeMs);
    if (second?.verdict.kind === 'per-request')
      return { kind: 'agreed', revision: second.verdict.revision, server: second.verdict.server };
  }
  let before = whyHandshake(probed.verdict) ?? '';
  // A bridge may take the probe for the beginning of a session, and the handshake then comes too late.
  if (!isNew && probed.wasRefused !== true && mayComeOfProbe(opened) && port.startsProcess && (await port.restart())) {
    opened = await port.initialize(offer);
    before += ', and it was started once more to be sent initialize first';
  }
  if (opened.kind !== 'agreed') return explain(port, opened, before);
  const wasSilent = probed.outcome.kind === 'silent' && !port.silenceDecides;
  return { ...opened, unsure: wasSilent || probed.verdict.kind === 'undecided' };
}

/** Whether a failed handshake may be a consequence of the probe before it: not where the server speaks of versions. */
function mayComeOfProbe(opened: InitializeOutcome): boolean {
  if (opened.kind === 'refused') return opened.error.code !== FAULT_CODES['unsupported-version'];
  return opened.kind === 'invalid';
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
  if (status === undefined || offer === undefined || !clientWordsOf(offer).suggestsTwoEndpoints(status)) return false;
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
