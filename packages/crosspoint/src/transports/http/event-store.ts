import type { JSONRPCMessage } from '../../jsonrpc/message.ts';
import type { Json, Store } from '../../stores/store.ts';

/** Keeps what was sent on the streams of a session, so that a stream that broke can go on where it was. */
export interface EventStore {
  /** The id of the event; ids are unique within a session. */
  storeEvent(streamId: string, message: JSONRPCMessage): Promise<string>;
  getStreamIdForEventId?(eventId: string): Promise<string | undefined>;
  /** Sends again what came after an event on its own stream, and says which stream that is. */
  replayEventsAfter(lastEventId: string, options: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> }): Promise<string>;
}

export interface StoredEventsOptions {
  /** How long a stream can be resumed after its last event. */
  readonly ttlMs: number;
  readonly maxEvents: number;
}

/** The events of one session in a store: a log for each stream. An event id is the stream and the position in its log. */
export function storedEvents(store: Store, session: string, { ttlMs, maxEvents }: StoredEventsOptions): EventStore {
  const logOf = (stream: string): string => `events:${session}:${stream}`;
  return {
    async storeEvent(stream, message) {
      const position = await store.append(logOf(stream), message as object as Json, { ttlMs, maxEntries: maxEvents });
      return `${stream}_${position}`;
    },
    async getStreamIdForEventId(eventId) {
      return splitEventId(eventId)?.stream;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const found = splitEventId(lastEventId);
      if (found === undefined) throw new RangeError('The event id is not one of this session.');
      for (const { position, value } of await store.read(logOf(found.stream), { after: found.position })) {
        await send(`${found.stream}_${position}`, value as object as JSONRPCMessage);
      }
      return found.stream;
    },
  };
}

/** Parts of an id that this store made; a position is of letters, digits and dashes in every store. */
export function splitEventId(eventId: string): { stream: string; position: string } | undefined {
  const match = /^([\w-]{1,64})_([\w-]{1,64})$/.exec(eventId);
  const [, stream, position] = match ?? [];
  return stream === undefined || position === undefined ? undefined : { stream, position };
}
