import type { EventStore } from '../../server/streamableHttp.ts';
import type { JSONRPCMessage } from '../../types.ts';

/** Keeps the events of all streams in memory, without a limit: for examples and tests. */
export class InMemoryEventStore implements EventStore {
  readonly #events = new Map<string, { readonly streamId: string; readonly message: JSONRPCMessage }>();

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const eventId = `${streamId}_${Date.now()}_${crypto.randomUUID().slice(0, 8)}`;
    this.#events.set(eventId, { streamId, message });
    return eventId;
  }

  /** Gives the stream of the event, and sends what came after it on that stream. An unknown event gives '', and nothing is sent. */
  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const last = this.#events.get(lastEventId);
    if (last === undefined) return '';
    const { streamId } = last;
    const sent = [...this.#events].filter(([, event]) => event.streamId === streamId);
    const from = sent.findIndex(([eventId]) => eventId === lastEventId) + 1;
    for (const [eventId, { message }] of sent.slice(from)) await send(eventId, message);
    return streamId;
  }
}
