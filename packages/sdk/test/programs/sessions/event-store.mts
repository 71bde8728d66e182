import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** Keeps what was sent, in the order in which it was sent, so that a stream can go on where it broke. */
export class ListEventStore implements EventStore {
  private readonly events: { id: string; stream: string; message: JSONRPCMessage }[] = [];

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `event-${this.events.length + 1}`;
    this.events.push({ id, stream, message });
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.events.find((event) => event.id === id)?.stream;
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const from = this.events.findIndex(({ id }) => id === lastEventId);
    const stream = this.events[from]?.stream ?? '';
    for (const event of this.events.slice(from + 1))
      // An event without a message only marks the beginning of its stream.
      if (event.stream === stream && 'jsonrpc' in event.message) await send(event.id, event.message);
    return stream;
  }
}
