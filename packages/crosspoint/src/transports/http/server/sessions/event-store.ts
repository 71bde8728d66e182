import type { JSONRPCMessage } from '../../../../jsonrpc/message.ts';

/** Stores the messages sent on streams, so that a broken stream can be resumed. Programs may implement it. */
export interface EventStore {
  /** Stores a message; resolves with a unique event id. */
  storeEvent(streamId: string, message: JSONRPCMessage): Promise<string>;
  getStreamIdForEventId?(eventId: string): Promise<string | undefined>;
  /** Sends the messages after an event of its stream again; resolves with the id of that stream. */
  replayEventsAfter(
    lastEventId: string,
    options: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string>;
}
