import type { AuthInfo, JSONRPCMessage } from 'crosspoint';
import type { EventStore } from 'crosspoint/server';
import { EventConnection, eventText } from './event-connection.ts';
import type { HttpReply } from './exchange.ts';
import { REFUSED, type Refusal } from './refusals.ts';

export interface EventStreamsOptions {
  readonly eventStore?: EventStore | undefined;
  /** Milliseconds after which a client is to come back to a stream; clients are told none when absent. */
  readonly retryInterval?: number | undefined;
  readonly keepAliveMs: number;
  /** Told of a message that could not be stored. */
  readonly onproblem: (error: Error) => void;
}

/** Who reads a stream. */
export interface Reader {
  readonly reply: HttpReply;
  readonly sessionId: string | undefined;
  readonly authInfo: AuthInfo | undefined;
}

/** Events that are sent again. */
export interface Replay {
  readonly stream: string;
  readonly events: readonly { readonly id: string; readonly message: JSONRPCMessage }[];
}

/** The fate of a message. */
export interface Sent {
  /** Whether the stream is being read. */
  readonly isRead: boolean;
  /** Whether the client has the id of an event of the stream now. */
  readonly hasCursor: boolean;
}

const STANDING = '_GET_stream';
const UUID_LENGTH = 36;

/** The streams of events towards one client, each with one connection at most. Where there is a store, all events are kept in it. */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  /** Part of the name of every stream, because a store may hold the events of many sessions. Without `_`, at which stores split ids. */
  readonly #token: string = crypto.randomUUID();
  /** The name of the stream that belongs to no request. */
  readonly standing: string = `${STANDING}.${this.#token}`;
  readonly #connections = new Map<string, EventConnection>();
  /** Streams with messages that are being stored, and when the last of them is. */
  readonly #storing = new Map<string, Promise<void>>();
  #count = 0;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
  }

  get areStored(): boolean {
    return this.#options.eventStore !== undefined;
  }

  /** The name of a new stream. */
  nextName(): string {
    return `${this.#token}.${++this.#count}`;
  }

  isRead(stream: string): boolean {
    return this.#connections.has(stream);
  }

  /** Gives a stream a connection, which is yet to be opened, and ends the one before. */
  connect(stream: string, { reply, sessionId, authInfo }: Reader): EventConnection {
    this.end(stream);
    const connection: EventConnection = new EventConnection(reply, {
      headers: sessionId === undefined ? {} : { 'mcp-session-id': sessionId },
      keepAliveMs: this.#options.keepAliveMs,
      isStanding: stream === this.standing,
      authInfo,
      onover: () => {
        if (this.#connections.get(stream) === connection) this.#connections.delete(stream);
      },
    });
    this.#connections.set(stream, connection);
    return connection;
  }

  end(stream: string): void {
    this.#connections.get(stream)?.end();
  }

  /** Ends the connection of a stream after the messages that were sent before. */
  endAfterWrites(stream: string): void {
    const stored = this.#storing.get(stream);
    if (stored) void stored.then(() => this.end(stream));
    else this.end(stream);
  }

  endAll(): void {
    for (const connection of this.#connections.values()) connection.end();
  }

  /** Sends an event without a message, from which the client can resume the stream. */
  async prime(stream: string, connection: EventConnection): Promise<void> {
    const { eventStore, retryInterval } = this.#options;
    const id = await eventStore?.storeEvent(stream, NOTHING);
    const retry = retryInterval === undefined ? '' : `retry: ${retryInterval}\n`;
    connection.write(`id: ${id}\n${retry}data: \n\n`);
  }

  async write(stream: string, message: JSONRPCMessage): Promise<Sent> {
    if (!this.areStored) return this.#send(stream, message, undefined);
    const store = async (): Promise<Sent> => this.#send(stream, message, await this.#store(stream, message));
    // One after the other: a store may take longer for a message than for the next.
    const sent = this.#storing.get(stream)?.then(store) ?? store();
    const stored: Promise<void> = sent.then(ignore, ignore).then(() => {
      if (this.#storing.get(stream) === stored) this.#storing.delete(stream);
    });
    this.#storing.set(stream, stored);
    return sent;
  }

  /** Writes to the connection of this moment: while an event was stored, the client may have come back, and got it as a replay. */
  #send(stream: string, message: JSONRPCMessage, eventId: string | undefined): Sent {
    const connection = this.#connections.get(stream);
    if (connection === undefined) return { isRead: false, hasCursor: false };
    if (eventId !== undefined && connection.replayed.has(eventId)) return { isRead: true, hasCursor: true };
    const isWritten = connection.write(eventText(message, eventId));
    return { isRead: isWritten, hasCursor: isWritten && eventId !== undefined };
  }

  /** The id of a stored message; `undefined` where it could not be stored, so that the client is not left without it. */
  async #store(stream: string, message: JSONRPCMessage): Promise<string | undefined> {
    try {
      return await this.#options.eventStore?.storeEvent(stream, message);
    } catch (error) {
      this.#options.onproblem(error as Error);
      return undefined;
    }
  }

  /** The events after one that the client names. */
  async replayAfter(lastEventId: string): Promise<Replay | Refusal> {
    const { eventStore } = this.#options;
    if (eventStore === undefined) return REFUSED.eventId;
    if (eventStore.getStreamIdForEventId) {
      const named = await eventStore.getStreamIdForEventId(lastEventId);
      if (!named || this.#isOfOthers(named)) return REFUSED.eventId;
      if (this.isRead(named)) return REFUSED.secondReader;
    }
    const events: { id: string; message: JSONRPCMessage }[] = [];
    const send = async (id: string, message: JSONRPCMessage): Promise<void> => {
      // The event that begins a stream holds no message.
      if (Object.keys(message).length > 0) events.push({ id, message });
    };
    const stream = await eventStore.replayEventsAfter(lastEventId, { send });
    return this.#isOfOthers(stream) ? REFUSED.eventId : { stream, events };
  }

  /** Whether a stream was named by another transport that uses the same store. */
  #isOfOthers(stream: string): boolean {
    const name = stream.startsWith(`${STANDING}.`) ? stream.slice(STANDING.length + 1) : stream;
    const token = name.slice(0, UUID_LENGTH);
    return token !== this.#token && UUID.test(token);
  }
}

const ignore = (): void => {};
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
/** The content of an event that begins a stream. */
const NOTHING = Object.freeze({}) as JSONRPCMessage;

/** Sends the events of a replay on a connection, all at once: memory for slow readers is counted by the write. */
export function writeReplay(connection: EventConnection, { events }: Replay): void {
  for (const { id } of events) connection.replayed.add(id);
  const text = events.map(({ id, message }) => eventText(message, id)).join('');
  if (text !== '') connection.write(text);
}
