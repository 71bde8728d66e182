import type { JSONRPCMessage, RequestId } from '../../../../jsonrpc/message.ts';
import { attempt } from '../../../../runtime/guard.ts';
import type { Json, Store } from '../../../../stores/store.ts';
import { BEGINNING, splitEventId, type SessionEvents, type StoredEventsOptions } from './session-events.ts';

/** The stream of a GET. It has a log of its own, since every node may speak on it. */
export const STANDING = 'standing';

/** What is kept of a stream: a message, or what there is to know about it. */
export interface StreamEntry {
  readonly position: string;
  /** Two entries of one key are one that was written twice, because nobody heard that it was written. */
  readonly key: string;
  readonly message?: JSONRPCMessage;
  /** The requests that are answered on the stream, told when it begins. */
  readonly owed?: readonly RequestId[];
  /** Nothing more will come, though not everything was answered: the client wanted no answer any more. */
  readonly isOver?: boolean;
  /** How far the changes were told that go to the standing stream. */
  readonly mark?: string;
  /** The `writer` of the node that reads the standing stream from here on. */
  readonly takenBy?: string;
}

/** The events of a session as several nodes share them. */
export interface SharedEvents {
  /** Stands for this node in what it adds to this session. */
  readonly writer: string;
  idOf(stream: string, position: string): string;
  /** `undefined` for what comes before everything, and for what is no id. */
  positionOf(eventId: string): string | undefined;
  /** The position. A store that is away for a moment is waited for. */
  add(stream: string, entry: Omit<StreamEntry, 'position' | 'key'>): Promise<string>;
  read(stream: string, after?: string): Promise<readonly StreamEntry[]>;
  /** Tells other nodes to look. */
  wake(): void;
  /** Is told to look. */
  listen(run: () => void): Promise<() => Promise<void>>;
  /** True for the one node that may say what became of a stream whose own node is gone. */
  claim(stream: string): Promise<boolean>;
}

interface Kept {
  readonly s: string;
  readonly k: string;
  readonly m?: JSONRPCMessage;
  readonly o?: readonly RequestId[];
  readonly e?: true;
  readonly c?: string;
  readonly t?: string;
}

/** For how long a store that is away is waited for, and how often it is tried. */
const PATIENCE_MS = 15_000;
const RETRY_MS = 250;
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
      const entry: Kept = {
        s: stream,
        k: `${writer}.${(written += 1)}`,
        ...(message && { m: message }),
        ...(owed && { o: owed }),
        ...(isOver && { e: true }),
        ...(mark !== undefined && { c: mark }),
        ...(takenBy !== undefined && { t: takenBy }),
      };
      const options = { ttlMs, maxEntries: maxEvents, maxBytes, leftBy };
      return patiently(() => store.append(logOf(stream), entry as object as Json, options));
    },
    async read(stream, after) {
      const entries = await store.read(logOf(stream), after === undefined ? {} : { after });
      return entries.flatMap(({ position, value }) => {
        const kept = value as object as Kept;
        return kept.s === stream ? [entryOf(position, kept)] : [];
      });
    },
    // Whoever follows looks by itself now and then, so a wake that is lost only costs time.
    wake: () => attempt(() => store.publish(channel, null), undefined),
    listen: (run) => store.subscribe(channel, run),
    claim: async (stream) =>
      (await store.put(`lost:${stream}`, true, { ifVersion: null, ttlMs: CLAIM_MS })) !== undefined,
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

function positionOf(eventId: string): string | undefined {
  const position = splitEventId(eventId)?.position;
  return position === BEGINNING ? undefined : position;
}

/** Leaves out what was written twice. */
export function once(entries: readonly StreamEntry[], seen: Set<string> = new Set()): StreamEntry[] {
  return entries.filter(({ key }) => !seen.has(key) && seen.add(key));
}

function entryOf(position: string, { k, m, o, e, c, t }: Kept): StreamEntry {
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

async function patiently<T>(run: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (Date.now() + RETRY_MS > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
