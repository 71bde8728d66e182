import type { JSONRPCMessage, RequestId } from '../../../../jsonrpc/message.ts';
import type { EventStore } from './event-store.ts';
import type { SharedEvents } from './shared-events.ts';
import { sha256Hex } from '../../../../runtime/sha256.ts';

export interface SessionEvent {
  readonly id: string;
  readonly message: JSONRPCMessage;
}

/** The events of one session's streams. Events of other sessions cannot be reached, whatever id is named. */
export interface SessionEvents {
  /**
   * Stores a message, of which `text` is the JSON, and returns its event id; synchronously where the store allows it. With `owed` it is the
   * first event of the stream and replaces `prime`: the event before all others is then `beginningOf(stream)`.
   */
  store(stream: string, message: JSONRPCMessage, text: string, owed?: readonly RequestId[]): string | Promise<string>;
  /** Begins a stream on which these requests will be answered. Returns the id of the event before all others. */
  prime(stream: string, owed: readonly RequestId[]): string | Promise<string>;
  /** Whether `store` with `owed` replaces `prime` without waiting. */
  readonly isPrimedByStore?: boolean;
  /** The stream of an event; `undefined` for an event of another session. */
  streamOf(eventId: string): Promise<string | undefined>;
  /** The events after the given one, of its stream. */
  after(eventId: string): Promise<readonly SessionEvent[]>;
  /** Deletes everything: the session has ended. */
  forget(): Promise<void>;
  /** Drops events that can no longer be resumed, where the store does not do so itself. */
  expire?(now: number): void;
  /** Present where other nodes serve the session too. */
  readonly shared?: SharedEvents;
}

export interface StoredEventsOptions {
  /** How long streams can be resumed after the last event of the session. */
  readonly ttlMs: number;
  /** Limits for one session: events, and bytes of their JSON. */
  readonly maxEvents: number;
  readonly maxBytes: number;
  /** The caller that the stored events are counted for. */
  readonly leftBy: string;
}

/** Name of the GET stream. Among nodes it has a log of its own, since every node may send on it. */
export const STANDING = 'standing';

/** Sorts before every position. */
export const BEGINNING = '0';

/** The event id before all events of a stream. */
export function beginningOf(stream: string): string {
  return eventId(stream, BEGINNING);
}

export function eventId(stream: string, position: string | number): string {
  return `${stream}_${position}`;
}

/** Splits an event id. Positions consist of letters, digits and dashes in every store. */
export function splitEventId(id: string): { stream: string; position: string } | undefined {
  const [, stream, position] = /^([\w-]{1,64})_([A-Za-z0-9-]{1,64})$/.exec(id) ?? [];
  return stream === undefined || position === undefined ? undefined : { stream, position };
}

/**
 * Events of a session in the program's own event store, which may hold many sessions: a prefix makes stream names unique, and streams
 * without it are not shown.
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
      // A priming event holds no message to send again.
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

/** Content of a priming event in a store that knows only messages. */
const NOTHING = Object.freeze({}) as JSONRPCMessage;

/** Letters and digits only, since a store may parse stream names. */
async function digestOf(text: string): Promise<string> {
  return (await sha256Hex(text)).slice(0, 32);
}
