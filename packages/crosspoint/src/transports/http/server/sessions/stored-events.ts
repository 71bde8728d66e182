import type { JSONRPCMessage } from '../../../../jsonrpc/message.ts';
import type { Json, Store } from '../../../../stores/store.ts';
import { BEGINNING, eventId, splitEventId, type SessionEvents, type StoredEventsOptions } from './session-events.ts';

/** Events of a session in one log of the store. An event id consists of the stream and the position in the log. */
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
