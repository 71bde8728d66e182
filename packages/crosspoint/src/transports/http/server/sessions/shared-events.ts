import type { JSONRPCMessage, RequestId } from '../../../../jsonrpc/message.ts';
import { attempt } from '../../../../runtime/guard.ts';
import type { Json, Store } from '../../../../stores/store.ts';
import { FollowedStream, once, type StreamNodes } from './followed-stream.ts';
import type { OutgoingStream } from './session-stream.ts';
import type { SessionNodes } from './streamable-session-options.ts';
import { BEGINNING, STANDING, splitEventId, type SessionEvents, type StoredEventsOptions } from './session-events.ts';

/** An entry of a stream's log: a message, or a fact about the stream. */
export interface StreamEntry {
  readonly position: string;
  /** Two entries with one key are the same entry, written twice because the first write was not confirmed. */
  readonly key: string;
  readonly message?: JSONRPCMessage;
  /** Requests answered on this stream; in its first entry. */
  readonly owed?: readonly RequestId[];
  /** The stream has ended although requests are unanswered: the client cancelled them. */
  readonly isOver?: boolean;
  /** How far changes have been sent on the standing stream. */
  readonly mark?: string;
  /** The `writer` of the node that reads the standing stream from here on. */
  readonly takenBy?: string;
}

/** Events of a session that several nodes share. */
export interface SharedEvents {
  /** Identifies this node in the entries that it adds to this session. */
  readonly writer: string;
  idOf(stream: string, position: string): string;
  /** `undefined` for the beginning of a stream, and for a text that is no event id. */
  positionOf(eventId: string): string | undefined;
  /** Appends an entry; resolves with its position. Retries for 15 s while the store is unreachable. */
  add(stream: string, entry: Omit<StreamEntry, 'position' | 'key'>): Promise<string>;
  read(stream: string, after?: string): Promise<readonly StreamEntry[]>;
  /** Asks other nodes to read the log. */
  wake(): void;
  /** Calls `run` when another node calls `wake`. */
  listen(run: () => void): Promise<() => Promise<void>>;
  /** True for one node only, which may then answer the requests of a dead node. */
  claim(stream: string): Promise<boolean>;
  /** A stream of the session that other nodes may write. */
  follow(stream: string, nodes: SessionNodes, side: FollowingSide): OutgoingStream;
}

/** The session that follows a stream. */
export type FollowingSide = Pick<StreamNodes, 'onproblem' | 'onover' | 'retryMs'>;

interface StoredEntry {
  readonly s: string;
  readonly k: string;
  readonly m?: JSONRPCMessage;
  readonly o?: readonly RequestId[];
  readonly e?: true;
  readonly c?: string;
  readonly t?: string;
}

/** How long, and how often, a write to an unreachable store is retried. */
const STORE_RETRY_MS = 15_000;
const RETRY_EVERY_MS = 250;
const CLAIM_MS = 5000;

export function sharedEvents(
  store: Store,
  session: string,
  { ttlMs, maxEvents, maxBytes, leftBy }: StoredEventsOptions,
): SessionEvents {
  const logOf = (stream: string): string => `${stream === STANDING ? STANDING : 'events'}:${session}`;
  const channel = `events:${session}`;
  const idOf = (stream: string, position: string): string => `${stream}_${position}`;
  const writer = crypto.randomUUID().slice(0, 8);
  let written = 0;
  const shared: SharedEvents = {
    writer,
    idOf,
    positionOf,
    add(stream, { message, owed, isOver, mark, takenBy }) {
      const entry: StoredEntry = {
        s: stream,
        k: `${writer}.${(written += 1)}`,
        ...(message && { m: message }),
        ...(owed && { o: owed }),
        ...(isOver && { e: true }),
        ...(mark !== undefined && { c: mark }),
        ...(takenBy !== undefined && { t: takenBy }),
      };
      const options = { ttlMs, maxEntries: maxEvents, maxBytes, leftBy };
      return retried(() => store.append(logOf(stream), entry as object as Json, options));
    },
    async read(stream, after) {
      const entries = await store.read(logOf(stream), after === undefined ? {} : { after });
      return entries.flatMap(({ position, value }) => {
        const kept = value as object as StoredEntry;
        return kept.s === stream ? [entryOf(position, kept)] : [];
      });
    },
    // Followers also read at intervals, so a lost wake-up only delays them.
    wake: () => attempt(() => store.publish(channel, null), undefined),
    listen: (run) => store.subscribe(channel, run),
    claim: async (stream) =>
      (await store.put(`lost:${stream}`, true, { ifVersion: null, ttlMs: CLAIM_MS })) !== undefined,
    follow: (stream, nodes, side) => followed(stream, shared, nodes, side),
  };
  return {
    shared,
    store: async (stream, message, _text, owed) =>
      idOf(stream, await shared.add(stream, { message, ...(owed && { owed }) })),
    prime: async (stream, owed) => idOf(stream, await shared.add(stream, { owed })),
    streamOf: async (eventId) => splitEventId(eventId)?.stream,
    async after(id) {
      const named = splitEventId(id);
      if (named === undefined) return [];
      const all = once(await shared.read(named.stream));
      const missed = new Set((await shared.read(named.stream, positionOf(id))).map(({ position }) => position));
      return all.flatMap(({ position, message }) =>
        message !== undefined && missed.has(position) ? [{ id: idOf(named.stream, position), message }] : [],
      );
    },
    async forget() {
      await Promise.all([store.deleteLog(logOf('')), store.deleteLog(logOf(STANDING))]);
    },
  };
}

function followed(id: string, events: SharedEvents, nodes: SessionNodes, side: FollowingSide): FollowedStream {
  const owner = id.slice(0, id.indexOf('-'));
  return new FollowedStream(id, events, {
    ...side,
    isWorkedOn: async () => owner !== nodes.id && (await nodes.isAlive(owner)),
    onstanding: (last) => nodes.onstanding(last),
    mark: () => nodes.mark(),
  });
}

function positionOf(eventId: string): string | undefined {
  const position = splitEventId(eventId)?.position;
  return position === BEGINNING ? undefined : position;
}

function entryOf(position: string, { k, m, o, e, c, t }: StoredEntry): StreamEntry {
  return {
    position,
    key: k,
    ...(m && { message: m }),
    ...(o && { owed: o }),
    ...(e && { isOver: true }),
    ...(c !== undefined && { mark: c }),
    ...(t !== undefined && { takenBy: t }),
  };
}

async function retried<T>(run: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + STORE_RETRY_MS;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (Date.now() + RETRY_EVERY_MS > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_EVERY_MS));
    }
  }
}
