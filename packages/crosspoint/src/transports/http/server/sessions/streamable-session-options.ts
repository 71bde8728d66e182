import type { JSONRPCRequest } from '../../../../jsonrpc/message.ts';
import type { Clock } from '../../../../peer/clock.ts';
import type { HttpRules } from '../../../../revisions/revision.ts';
import type { SessionEvents } from './session-events.ts';
import type { Ticker } from './ticker.ts';
import type { Work } from '../adapters/pending-work.ts';

/** How a session reaches the other nodes that serve it. */
export interface SessionNodes {
  /** This node: of letters and digits. */
  readonly id: string;
  /** The id of a request to the client: it names this node, and no client can make one up. */
  requestId(number: number): string;
  isAlive(node: string): Promise<boolean>;
  /** The standing stream is read here from now on: `last` is the newest mark left with it, and what is given holds from now on. */
  onstanding(last: string | undefined): string | undefined;
  /** How far changes have been told on this node. */
  mark(): string | undefined;
}

/** What all sessions of one endpoint share. */
export interface StreamableShared {
  /** Answers are JSON, whatever is emitted meanwhile; what cannot be part of one is lost. */
  readonly jsonOnly: boolean;
  readonly streamAfterMs: number;
  /** How often a silent stream gives a sign of life; never when 0. */
  readonly keepAliveMs: number;
  /** How long a client waits before it comes back to a stream that was closed early. */
  readonly retryMs: number;
  /** How many requests may be worked on and streams be open at once. */
  readonly maxStreams: number;
  readonly ticker: Ticker;
  readonly clock: Clock;
  /** Holds the session while it works on a request. */
  readonly work?: Work | undefined;
  /** The session of this id has closed. */
  readonly onclosed?: ((sessionId: string | undefined) => void) | undefined;
  /** What the revision of this name makes of HTTP. */
  readonly rulesOf: (version: string) => HttpRules | undefined;
  /** The rules of a request that brings its own revision; `undefined` for one that belongs to the session. */
  readonly ownRulesOf: (request: JSONRPCRequest) => HttpRules | undefined;
}

/** What belongs to one session. */
export interface OwnOptions {
  readonly sessionId: string | undefined;
  /** With it, streams can be resumed, and every answer but that to a handshake is a stream. */
  readonly events: SessionEvents | undefined;
  /** Present where other nodes serve the session too. */
  readonly nodes?: SessionNodes | undefined;
  /** Called when everything that came in has been answered and nobody reads. */
  readonly onidle?: () => void;
}
