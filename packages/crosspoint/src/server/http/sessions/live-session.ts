import type { Holding, Keeper } from '../../../stores/shares.ts';
import type { HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import type { SessionEvents } from '../../../transports/http/server/sessions/session-events.ts';
import type { StreamableSession } from '../../../transports/http/server/sessions/streamable-session.ts';
import { ownerIn } from '../../callers/caller.ts';
import type { Connection } from '../../session/connection.ts';

/** The caller of a request. */
export type SessionCaller = Pick<HttpRequest, 'principal' | 'address'>;

/** The last known record of a session. */
export interface KeptState {
  /** The text of the record and its version; empty before the first write. */
  text: string;
  version: string;
  /** Time at which its lifetime was last prolonged. */
  touchedAt: number;
}

export function nothingKept(now: number): KeptState {
  return { text: '', version: '', touchedAt: now };
}

/** A session that lives in this process, and its slot. */
export interface LiveSession extends Holding {
  readonly id: string;
  readonly principal: string | undefined;
  readonly transport: StreamableSession;
  readonly connection: Connection;
  readonly events: SessionEvents | undefined;
  readonly kept: KeptState;
  lastSeen: number;
  /** The count of its bytes, for a session that holds many. */
  heavy: Holding | undefined;
}

/** Written out member by member: there may be many sessions, and an object made by spreading takes more memory. */
export function newLive(keeper: Keeper, session: Omit<LiveSession, keyof Holding | 'heavy'>): LiveSession {
  const { id, principal, transport, connection, events, kept, lastSeen } = session;
  return {
    id,
    principal,
    transport,
    connection,
    events,
    kept,
    lastSeen,
    heavy: undefined,
    keeper,
    share: undefined,
    size: 0,
    older: undefined,
    newer: undefined,
  };
}

/** Whether a session is in use. A request that waits for a client that has gone does not count. */
export function isInUse({ transport, connection }: LiveSession): boolean {
  return transport.isActive && (transport.isConnected || connection.peer.asked === 0);
}

/** Drops events that are in this process; those in a store may be needed by other nodes. */
export function forgetHere({ events }: LiveSession): void {
  events?.expire?.(Number.POSITIVE_INFINITY);
}

/** The caller that the slot of a session counts for. */
export function ownerOf(caller: SessionCaller): string {
  return ownerIn(caller) ?? 'address:';
}
