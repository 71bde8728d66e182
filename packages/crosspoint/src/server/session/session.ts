import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { UNKNOWN_CAPABILITIES, type ServerCapabilities } from '../../protocol/capabilities.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Facts } from '../../protocol/outcome.ts';
import { assumedRevision } from '../../revisions/index.ts';
import type { Revision } from '../../revisions/revision.ts';
import type { Transport } from '../../transports/transport.ts';
import type { ServerCore } from '../core.ts';
import { roughSize } from '../callers/rough-size.ts';
import { mirroredParams } from '../offering/registry.ts';
import type { Connection } from './connection.ts';
import { sharedFacts } from './shared-facts.ts';

/** The results of a handshake, and the few settings that a handshake client may change afterwards. Plain data of one connection. */
export interface Session {
  readonly revision: Revision;
  /** The capabilities that the client was sent; later additions are served but not announced. */
  readonly declared: ServerCapabilities;
  subscriptions: Set<string>;
  facts: Facts;
  initialized: boolean;
  /** The group whose changes the client is told, fixed by the handshake. */
  readonly group?: string | undefined;
  /** Estimated bytes of the client's facts and subscriptions. */
  heldBytes: number;
}

/** Bytes of a subscription beside its URI. */
const SUBSCRIPTION_BYTES = 50;

export function subscriptionBytes(uri: string): number {
  return SUBSCRIPTION_BYTES + uri.length;
}

/** Shared by all sessions without subscriptions, which may be many. It stays empty. */
export const NO_SUBSCRIPTIONS: Set<string> = new Set();

/** Whether a URI lies beneath a subscribed one; for programs that decide themselves what may be subscribed to. */
export function covers(subscriptions: Iterable<string>, uri: string): boolean {
  for (const parent of subscriptions) if (uri.startsWith(parent.endsWith('/') ? parent : `${parent}/`)) return true;
  return false;
}

/** Opens a session with the offered revision where it is spoken, otherwise with the newest of the family: a result, not an error. */
export function openSession(core: ServerCore, params: JsonObject): { session: Session; result: JsonObject } {
  const { requested, facts } = readInitialize(params);
  const offered = core.spoken.find(requested);
  const revision = offered?.family === 'handshake' ? offered : core.spoken.newest('handshake');
  if (revision === undefined) {
    throw new ProtocolError(
      'unsupported-version',
      `This server speaks ${core.spoken.ids.join(', ')} and has no handshake.`,
      { supported: core.spoken.ids, requested },
    );
  }
  const declared = core.capabilities();
  const heldBytes = roughSize(facts);
  const session: Session = {
    revision,
    declared,
    subscriptions: NO_SUBSCRIPTIONS,
    facts,
    initialized: false,
    group: undefined,
    heldBytes,
  };
  const handshakeExtensions = core.extensions ? core.extensions.inHandshake(declared) : declared.extensions;
  const result: JsonObject = {
    protocolVersion: revision === offered ? requested : revision.id,
    capabilities: {
      ...revision.writeServerCapabilities(declared),
      ...(handshakeExtensions && { handshakeExtensions }),
    },
    serverInfo: revision.writeImplementation(core.info),
  };
  if (core.instructions !== undefined) result['instructions'] = core.instructions;
  return { session, result };
}

function readInitialize(params: JsonObject): { requested: string; facts: Facts } {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== 'string') throw missing('protocolVersion, a string');
  if (!isJsonObject(capabilities)) throw missing('capabilities, an object');
  if (!isJsonObject(clientInfo) || typeof clientInfo['name'] !== 'string' || typeof clientInfo['version'] !== 'string')
    throw missing('clientInfo with a name and a version');
  return { requested: protocolVersion, facts: sharedFacts(clientInfo, capabilities) };
}

function missing(what: string): ProtocolError {
  return new ProtocolError('invalid-params', `initialize needs ${what}.`);
}

/** The facts of a client whose handshake is not remembered. It cannot set a log level, so it gets every message. */
export const ASSUMED_FACTS: Facts = Object.freeze({ capabilities: UNKNOWN_CAPABILITIES, logLevel: 'debug' });

/** The revision that a client whose handshake is not remembered names in its request. `undefined` when the server does not speak it. */
export function spokenHandshake(core: ServerCore, named: string | undefined): Revision | undefined {
  const revision =
    named === undefined
      ? (core.spoken.find(assumedRevision.id) ?? core.spoken.newest('handshake'))
      : core.spoken.find(named);
  return revision?.family === 'handshake' ? revision : undefined;
}

/** A session for one request of a client whose handshake is not remembered. */
export function assumedSession(core: ServerCore, named: string | undefined): Session | undefined {
  const revision = spokenHandshake(core, named);
  if (revision === undefined) return undefined;
  return {
    revision,
    declared: core.capabilities(),
    subscriptions: NO_SUBSCRIPTIONS,
    facts: ASSUMED_FACTS,
    initialized: true,
    heldBytes: 0,
  };
}

/** A transport of this library that takes facts from the connection it carries. */
export interface ConnectedTransport extends Transport {
  /** @internal Called before the connection opens. */
  onconnection?(connection: Connection): void;
}

/** Gives a transport that checks requests itself the facts that it needs. The transport calls it, so that programs over stdio are without it: 0.1 kB gzip. */
export function informTransport(transport: Transport, connection: Connection): void {
  const { core } = connection;
  transport.mirroredParams = (call) => mirroredParams(core.registry(), call);
  transport.namedBy = (method) => core.extensions?.namedBy(method);
  transport.onassumed = (version, isEnding = false) => {
    connection.session = assumedSession(core, version);
    if (connection.session && isEnding) connection.session.initialized = false;
    return connection.session !== undefined;
  };
}

/** The stored form of a session, with which another node can serve it. */
export interface SessionRecord {
  readonly revision: string;
  readonly facts: Facts;
  readonly initialized: boolean;
  readonly subscriptions: readonly string[];
  readonly group?: string | undefined;
  readonly principal: string | null;
}

export function sessionRecord(
  { revision, facts, initialized, subscriptions, group }: Session,
  principal: string | undefined,
): SessionRecord {
  return {
    revision: revision.id,
    facts,
    initialized,
    subscriptions: [...subscriptions],
    group,
    principal: principal ?? null,
  };
}

/** Restores a session from its record; `undefined` when this server no longer speaks its revision. */
export function restoreSession(
  core: ServerCore,
  kept: unknown,
): { session: Session; principal: string | undefined } | undefined {
  if (!isJsonObject(kept)) return undefined;
  const { revision: id, facts, initialized, subscriptions, group, principal } = kept as object as SessionRecord;
  const revision = core.spoken.find(id);
  if (revision?.family !== 'handshake' || !isJsonObject(facts)) return undefined;
  const session: Session = {
    revision,
    declared: core.capabilities(),
    subscriptions: new Set(subscriptions),
    facts,
    initialized,
    group,
    heldBytes: heldBy(facts, subscriptions),
  };
  return { session, principal: principal ?? undefined };
}

/**
 * Merges the changes of two nodes to one record: `theirs`, with the differences between `base` and `mine`. Nodes change different members at once, since
 * each change is a request of its own.
 */
export function mergeSessionRecords(base: SessionRecord, mine: SessionRecord, theirs: SessionRecord): SessionRecord {
  const [before, now] = [new Set(base.subscriptions), new Set(mine.subscriptions)];
  const kept = theirs.subscriptions.filter((uri) => now.has(uri) || !before.has(uri));
  const known = new Set(kept);
  const added = mine.subscriptions.filter((uri) => !before.has(uri) && !known.has(uri));
  const { logLevel } = mine.facts;
  const isLevelMine = logLevel !== undefined && logLevel !== base.facts.logLevel;
  return {
    ...theirs,
    initialized: theirs.initialized || mine.initialized,
    subscriptions: [...kept, ...added],
    facts: isLevelMine ? { ...theirs.facts, logLevel } : theirs.facts,
  };
}

/** Applies a record to a session. */
export function applySessionRecord(session: Session, { facts, initialized, subscriptions }: SessionRecord): void {
  session.facts = facts;
  session.initialized = initialized;
  session.subscriptions = new Set(subscriptions);
  session.heldBytes = heldBy(facts, subscriptions);
}

function heldBy(facts: Facts, subscriptions: readonly string[]): number {
  return subscriptions.reduce((bytes, uri) => bytes + subscriptionBytes(uri), roughSize(facts));
}
