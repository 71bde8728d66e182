import type { EventSourceMessage } from 'eventsource-parser';
import { isJsonObject, isRequestId, kindOf, type JSONRPCMessage, type RequestId } from '../../../jsonrpc/message.ts';
import { TransportError } from '../../../protocol/errors.ts';
import { attempt } from '../../../runtime/guard.ts';
import { readEvents, readStart, readText } from './body.ts';
import { describeFailure, httpError } from './describe-failure.ts';
import type { MessageExtraInfo } from '../../transport.ts';
import { LONGEST_TIMER_MS } from '../../../peer/clock.ts';

/** The transport as reading answers uses it. */
export interface AnswerReaderPort {
  readonly maxBytes: number;
  /** Makes the controller of a request that is owed an answer. */
  readonly newController?: (() => AbortController) | undefined;
  deliver(message: JSONRPCMessage, extra?: MessageExtraInfo): void;
  onproblem(error: Error): void;
}

export interface StreamPosition {
  /** Event after which to resume; `undefined` where the stream cannot be resumed. */
  lastEventId: string | undefined;
  /** Delay in milliseconds that the server asks for before resuming. */
  retryMs: number | undefined;
}

/** A longer id cannot be sent as a header, so the stream is not resumed. */
const LONGEST_EVENT_ID = 4096;

/** Reads the answers that one POST is owed, over all connections that carry them. */
export class AnswerReader {
  readonly owed: Set<RequestId> = new Set();
  readonly controller: AbortController;
  readonly position: StreamPosition = { lastEventId: undefined, retryMs: undefined };
  /** Called when all answers have arrived. */
  onanswered: (() => void) | undefined;
  readonly #port: AnswerReaderPort;
  readonly #ontoken: ((token: string) => void) | undefined;
  /** The request that gets the answers of a stream which another request began. */
  readonly #adopts: RequestId | undefined;
  /** Facts of every message on this stream that is no answer. */
  readonly #extra: MessageExtraInfo | undefined;
  /** The event before the one being read. */
  #before: string | undefined;

  constructor(
    messages: readonly JSONRPCMessage[],
    port: AnswerReaderPort,
    resumed: {
      ontoken?: ((token: string) => void) | undefined;
      adopts?: RequestId | undefined;
      isStanding?: boolean;
    } = {},
  ) {
    let last: RequestId | undefined;
    for (const message of messages) if ('method' in message && 'id' in message) this.owed.add((last = message.id));
    this.#port = port;
    this.controller = (this.isAnswered ? undefined : port.newController?.()) ?? new AbortController();
    this.#ontoken = resumed.ontoken;
    this.#adopts = resumed.adopts;
    const relatedRequestId =
      resumed.isStanding === true ? null : (resumed.adopts ?? (this.owed.size > 1 ? undefined : last));
    this.#extra = relatedRequestId === undefined ? undefined : { relatedRequestId };
  }

  get isAnswered(): boolean {
    return this.owed.size === 0;
  }

  /** Reads a 2xx response to a POST that is owed an answer. Rejects when it holds no answer of the protocol, or breaks. */
  async read(response: Response, what: string): Promise<void> {
    const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
    if (type === 'text/event-stream' && response.body !== null) return this.readStream(response.body);
    const text =
      type === 'application/json' ? await readText(response, this.#port.maxBytes) : await readStart(response);
    const messages = type === 'application/json' ? messagesIn(text) : undefined;
    // Nothing of a whole body is left to wait for, so no timer is set.
    this.onanswered = undefined;
    for (const message of messages ?? []) this.#take(message);
    if (this.isAnswered) return;
    const failure = describeFailure(response, text);
    throw httpError(what, failure, failure.error === undefined ? 'which does not answer the request' : undefined);
  }

  async readStream(body: ReadableStream<Uint8Array>): Promise<void> {
    await readEvents(body, {
      maxBytes: this.#port.maxBytes,
      onretry: (ms) => (this.position.retryMs = Math.min(ms, LONGEST_TIMER_MS)),
      onevent: (event) => this.#onevent(event),
    });
  }

  /** Passes the id of the last event to the caller, who may resume from it later. */
  #told(id: string): void {
    attempt(
      () => this.#ontoken?.(id),
      (problem) => this.#port.onproblem(problem),
    );
  }

  #onevent({ id, data, event }: EventSourceMessage): void {
    this.#before = this.position.lastEventId;
    if (id !== undefined && id !== '') {
      const isUsable = id.length <= LONGEST_EVENT_ID;
      this.position.lastEventId = isUsable ? id : undefined;
      if (isUsable) this.#told(id);
    }
    // An event without data only updates the position.
    if (data === '' || (event !== undefined && event !== '' && event !== 'message')) return;
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch (error) {
      const start = data.slice(0, 200);
      const fault = new TransportError('bad-frame', 'The data of an event is not JSON.', { start }, { cause: error });
      return this.#port.onproblem(fault);
    }
    for (const message of Array.isArray(value) ? (value as unknown[]) : [value]) this.#take(message);
  }

  #take(message: unknown): void {
    const kind = kindOf(message);
    if (kind !== 'result' && kind !== 'error')
      return this.#port.deliver(
        message as JSONRPCMessage,
        kind === 'request' ? { ...this.#extra, resumeAfter: this.#before } : this.#extra,
      );
    const answer = message as { id?: RequestId | null };
    const id = this.#adopts ?? answer.id;
    if (!isRequestId(id)) return this.#unnamed(message as JSONRPCMessage);
    this.#settle(id);
    this.#port.deliver((id === answer.id ? answer : { ...answer, id }) as JSONRPCMessage);
  }

  /** An error without an id, in the response to a single request, belongs to that request. */
  #unnamed(message: JSONRPCMessage): void {
    const [only, ...others] = this.owed;
    if (only === undefined || others.length > 0) return this.#port.deliver(message);
    this.#settle(only);
    this.#port.deliver({ ...message, id: only });
  }

  #settle(id: RequestId): void {
    if (this.owed.delete(id) && this.isAnswered) this.onanswered?.();
  }
}

/** The messages in a body; `undefined` when it holds none. */
function messagesIn(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value as unknown[];
    return isJsonObject(value) && value['jsonrpc'] === '2.0' ? [value] : undefined;
  } catch {
    return undefined;
  }
}
