import type { JSONRPCMessage } from '../../../../jsonrpc/message.ts';

/** Keeps what was sent on streams, so that one that broke can go on where it was. The shape that programs may implement. */
export interface EventStore {
  /** The id of the event; no two are the same. */
  storeEvent(streamId: string, message: JSONRPCMessage): Promise<string>;
  getStreamIdForEventId?(eventId: string): Promise<string | undefined>;
  /** Sends again what came after an event on its own stream, and says which stream that is. */
  replayEventsAfter(
    lastEventId: string,
    options: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string>;
}
