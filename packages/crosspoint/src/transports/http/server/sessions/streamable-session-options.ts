import type { JSONRPCRequest } from '../../../../jsonrpc/message.ts';
import type { Clock } from '../../../../peer/clock.ts';
import type { HttpRules } from '../../../../revisions/revision.ts';
import type { SessionEvents } from './session-events.ts';
import type { Ticker } from './ticker.ts';
import type { PendingWork } from '../adapters/pending-work.ts';
import type { PendingPost } from './pending-post.ts';

/** Access of a session to the other nodes that serve it. */
export interface SessionNodes {
  /** Id of this node: letters and digits. */
  readonly id: string;
  /** Id for a request to the client. It names this node and cannot be forged by a client. */
  requestId(number: number): string;
  isAlive(node: string): Promise<boolean>;
  /**
   * The standing stream is read on this node from now on. `last`: the newest mark stored with it. Returns the mark that is valid from now
   * on.
   */
  onstanding(last: string | undefined): string | undefined;
  /** How far changes have been sent on this node. */
  mark(): string | undefined;
}

/** Options shared by all sessions of one endpoint. */
export interface StreamableShared {
  /** Answer with JSON only; messages emitted during a request are dropped. */
  readonly jsonOnly: boolean;
  readonly streamAfterMs: number;
  /** Milliseconds of silence after which a comment is sent on a stream; never when 0. */
  readonly keepAliveMs: number;
  /** Milliseconds until a client is to return to a stream that was closed early. */
  readonly retryMs: number;
  /** Most pending requests, and most open streams. */
  readonly maxStreams: number;
  readonly ticker: Ticker;
  readonly clock: Clock;
  /** Counts the session as pending work while it serves a request. */
  readonly work?: PendingWork | undefined;
  /** Called when the session of this id has closed. */
  readonly onclosed?: ((sessionId: string | undefined) => void) | undefined;
  /** HTTP rules of a revision by its name. */
  readonly rulesOf: (version: string) => HttpRules | undefined;
  /** HTTP rules of a request that names its own revision; `undefined` for one that belongs to the session. */
  readonly ownRulesOf: (request: JSONRPCRequest) => HttpRules | undefined;
}

/** Options of one session. */
export interface OwnOptions {
  readonly sessionId: string | undefined;
  /** Makes streams resumable; every answer but that of a handshake is then a stream. */
  readonly events: SessionEvents | undefined;
  /** Present where other nodes serve the session too. */
  readonly nodes?: SessionNodes | undefined;
  /** Called when all requests are answered and no stream is read. */
  readonly onidle?: () => void;
}

/** The connection of a GET, and when its token ends. */
export type Reader = Pick<PendingPost, 'reply' | 'headers'> & { readonly until: number };
