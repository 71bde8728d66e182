import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Clock } from '../../../peer/clock.ts';
import { TransportError } from '../../../protocol/errors.ts';

/** Bytes of an error response that are read. */
const START_BYTES = 64 * 1024;

/** A body that may be here with its head; `arrived` is then all of it. Saves a generator and a decoder for each answer. */
type Arriving = ReadableStream<Uint8Array> & { arrived?(maxBytes: number): string | undefined };

/** Reads the start of a body; empty when it cannot be read. Does not wait for the rest. */
export async function readStart(response: Response): Promise<string> {
  try {
    return await readText(response, START_BYTES, true);
  } catch {
    return '';
  }
}

/** Reads a whole body. Past `limit` bytes it rejects with `too-large` or, with `cut`, returns what was read so far. */
export async function readText(response: Response, limit: number, cut = false): Promise<string> {
  if (response.body === null) return '';
  const arrived = (response.body as Arriving).arrived?.(limit);
  if (arrived !== undefined) return arrived;
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of chunksOf(response.body)) {
    bytes += chunk.byteLength;
    text += decoder.decode(chunk, { stream: true });
    if (bytes <= limit) continue;
    if (cut) return text;
    throw new TransportError('too-large', `The answer is larger than the limit of ${limit} bytes.`, { limit });
  }
  return text + decoder.decode();
}

/** Limits for reading a body only to keep its connection reusable. */
const SHORT_BYTES = 16 * 1024;
const SHORT_MS = 1000;

/** Finishes with a response: a short body is read to its end, so that the connection can be reused; a longer one is cancelled. */
export async function discard({ body, headers }: Response, clock: Clock): Promise<void> {
  if (body === null) return;
  const length = headers.get('content-length');
  if (length === null || !(Number(length) <= SHORT_BYTES)) return body.cancel();
  const reader = body.getReader();
  const timer = clock.setTimeout(() => void reader.cancel().catch(() => {}), SHORT_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // The connection is not reused then.
  } finally {
    clock.clearTimeout(timer);
  }
}

export interface EventReader {
  onevent(event: EventSourceMessage): void;
  onretry(ms: number): void;
  readonly maxBytes: number;
}

/** Delivers the events of a stream until it ends. Rejects when it breaks. */
export async function readEvents(body: ReadableStream<Uint8Array>, reader: EventReader): Promise<void> {
  const feed = eventFeed(reader);
  for await (const chunk of chunksOf(body)) feed(chunk);
}

/**
 * Returns a function that takes the bytes of an event stream as they arrive and delivers their events. It throws when an event is too
 * large.
 */
export function eventFeed(reader: EventReader): (chunk: Uint8Array) => void {
  const { maxBytes: limit } = reader;
  let fault: Error | undefined;
  const refused = (): void =>
    void (fault = new TransportError('too-large', `An event is larger than the limit of ${limit} bytes.`, { limit }));
  const parser = createParser({
    onEvent: (event) => (event.data.length > limit ? refused() : reader.onevent(event)),
    onRetry: (ms) => reader.onretry(ms),
    // Unknown fields are ignored, as the format requires.
    onError: (error) => (error.type === 'max-buffer-size-exceeded' ? refused() : undefined),
    maxBufferSize: limit,
  });
  const decoder = new TextDecoder();
  const toLines = newlinesOnly();
  return (chunk) => {
    parser.feed(toLines(decoder.decode(chunk, { stream: true })));
    if (fault !== undefined) throw fault;
  };
}

/**
 * Replaces `\r\n` and `\r` by `\n`. The parser would search for the next line feed at every carriage return, so a chunk full of them would
 * take time quadratic in its length.
 */
function newlinesOnly(): (text: string) => string {
  let endedInReturn = false;
  return (text) => {
    if (text === '') return text;
    const rest = endedInReturn && text.startsWith('\n') ? text.slice(1) : text;
    endedInReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replaceAll(/\r\n?/g, '\n') : rest;
  };
}

/** Reads with a reader because Safari's streams are not async iterable. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Leaving early closes the connection; after the end this does nothing.
    void reader.cancel().catch(() => {});
  }
}
