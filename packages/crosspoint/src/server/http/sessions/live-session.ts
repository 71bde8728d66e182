import type { Holding, Keeper } from '../../../stores/shares.ts';
import type { HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import type { SessionEvents } from '../../../transports/http/server/sessions/session-events.ts';
import type { StreamableSession } from '../../../transports/http/server/sessions/streamable-session.ts';
import { ownerIn } from '../../callers/caller.ts';
import type { Connection } from '../../session/connection.ts';
import type { KeptState } from './session-records.ts';

/** What is known of the caller of a request. */
export type SessionCaller = Pick<HttpRequest, 'principal' | 'address'>;

/** A session that lives in this process, and the place that it takes. */
export interface LiveSession extends Holding {
  readonly id: string;
  readonly principal: string | undefined;
  readonly transport: StreamableSession;
  readonly connection: Connection;
  readonly events: SessionEvents | undefined;
  readonly kept: KeptState;
  lastSeen: number;
  /** What is counted of a session that holds much of what its client has said. */
  heavy: Holding | undefined;
}

/** Written out, since there may be many: an object that is put together of others takes more memory. */
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

/** Whether anything goes on in a session. A request that waits for a client which has gone is nothing. */
export function isInUse({ transport, connection }: LiveSession): boolean {
  return transport.isActive && (transport.isConnected || connection.peer.asked === 0);
}

/** Lets go of events that are in this process; those in a store may be wanted elsewhere. */
export function forgetHere({ events }: LiveSession): void {
  events?.expire?.(Number.POSITIVE_INFINITY);
}

/** Whom the place of a session counts for. */
export function ownerOf(caller: SessionCaller): string {
  return ownerIn(caller) ?? 'address:';
}
