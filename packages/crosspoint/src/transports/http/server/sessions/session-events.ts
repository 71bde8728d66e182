import type { JSONRPCMessage, RequestId } from '../../../../jsonrpc/message.ts';
import type { Json, Store } from '../../../../stores/store.ts';
import type { EventStore } from './event-store.ts';
import type { SharedEvents } from './shared-events.ts';
import { sha256Hex } from '../../../../runtime/sha256.ts';

export interface SessionEvent {
  readonly id: string;
  readonly message: JSONRPCMessage;
}

/** The events of the streams of one session. What belongs to another session cannot be reached through it, whatever id is named. */
export interface SessionEvents {
  /**
   * The id of the event that now holds the message, of which `text` is the JSON. At once where nothing has to be waited for. With `owed` the
   * stream begins with it: what `prime` would have said is said with it, and the event before all others is `beginningOf` the stream.
   */
  store(stream: string, message: JSONRPCMessage, text: string, owed?: readonly RequestId[]): string | Promise<string>;
  /** The id of an event that comes before all others of a stream, on which these requests will be answered. */
  prime(stream: string, owed: readonly RequestId[]): string | Promise<string>;
  /** The stream of an event; `undefined` when it is none of this session's. */
  streamOf(eventId: string): Promise<string | undefined>;
  /** What came after an event on its own stream. */
  after(eventId: string): Promise<readonly SessionEvent[]>;
  /** The session is over. */
  forget(): Promise<void>;
  /** Lets go of what can no longer be resumed, where nobody else does. */
  expire?(now: number): void;
  /** Present where other nodes serve the session too. */
  readonly shared?: SharedEvents;
}

export interface StoredEventsOptions {
  /** How long streams can be resumed after the last event of the session. */
  readonly ttlMs: number;
  /** How much is kept of one session, in events and in bytes of their JSON. */
  readonly maxEvents: number;
  readonly maxBytes: number;
  /** The caller whose session it is: what is kept counts for it. */
  readonly leftBy: string;
}

/** Comes before every position. */
export const BEGINNING = '0';

/** The id that comes before all events of a stream. */
export function beginningOf(stream: string): string {
  return eventId(stream, BEGINNING);
}

export function eventId(stream: string, position: string | number): string {
  return `${stream}_${position}`;
}

/** The events of a session in one log of the store. An event id is the stream and the position in the log. */
export function storedEvents(
  store: Store,
  session: string,
  { ttlMs, maxEvents, maxBytes, leftBy }: StoredEventsOptions,
): SessionEvents {
  const log = `events:${session}`;
  return {
    async store(stream, message) {
      const position = await store.append(
        log,
        { stream, message: message as object as Json },
        { ttlMs, maxEntries: maxEvents, maxBytes, leftBy },
      );
      return eventId(stream, position);
    },
    prime: (stream) => eventId(stream, BEGINNING),
    async streamOf(id) {
      return splitEventId(id)?.stream;
    },
    async after(id) {
      const named = splitEventId(id);
      if (named === undefined) return [];
      const entries = await store.read(log, named.position === BEGINNING ? {} : { after: named.position });
      return entries.flatMap(({ position, value }) => {
        const { stream, message } = value as object as { stream: string; message: JSONRPCMessage };
        return stream === named.stream ? [{ id: eventId(stream, position), message }] : [];
      });
    },
    forget: () => store.deleteLog(log),
  };
}

/** A position is of letters, digits and dashes in every store. */
export function splitEventId(id: string): { stream: string; position: string } | undefined {
  const [, stream, position] = /^([\w-]{1,64})_([A-Za-z0-9-]{1,64})$/.exec(id) ?? [];
  return stream === undefined || position === undefined ? undefined : { stream, position };
}

/**
 * The events of a session in an event store that a program gave, and that may hold those of many sessions: the streams get names that no
 * other session has, and what is found under another name is not shown.
 */
export function givenEvents(events: EventStore, session: string): SessionEvents {
  let naming: Promise<string> | undefined;
  const prefix = (): Promise<string> => (naming ??= digestOf(session).then((digest) => `${digest}.`));
  const own = async (stream: string | undefined): Promise<string | undefined> => {
    const start = await prefix();
    return stream?.startsWith(start) ? stream.slice(start.length) : undefined;
  };
  const replay = async (last: string): Promise<{ stream: string | undefined; events: SessionEvent[] }> => {
    const found: SessionEvent[] = [];
    const send = async (id: string, message: JSONRPCMessage): Promise<void> => {
      // What only made a stream resumable is nothing to be told again.
      if (Object.keys(message).length > 0) found.push({ id, message });
    };
    const stream = await own(await events.replayEventsAfter(last, { send }));
    return { stream, events: stream === undefined ? [] : found };
  };
  const put = async (stream: string, message: JSONRPCMessage): Promise<string> =>
    events.storeEvent(`${await prefix()}${stream}`, message);
  return {
    store: put,
    prime: (stream) => put(stream, NOTHING),
    async streamOf(id) {
      return events.getStreamIdForEventId ? own(await events.getStreamIdForEventId(id)) : (await replay(id)).stream;
    },
    after: async (id) => (await replay(id)).events,
    forget: async () => {},
  };
}

/** What a priming event holds in stores that know only messages. */
const NOTHING = Object.freeze({}) as JSONRPCMessage;

/** Of letters and digits alone, since stores may take the name of a stream apart. */
async function digestOf(text: string): Promise<string> {
  return (await sha256Hex(text)).slice(0, 32);
}
