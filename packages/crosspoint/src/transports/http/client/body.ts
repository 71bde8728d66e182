import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Clock } from '../../../peer/clock.ts';
import { TransportError } from '../../../protocol/errors.ts';

/** How much of a refusal is looked at. */
const START_BYTES = 64 * 1024;

/** The start of a body, whatever it is; empty when it cannot be read. The rest is not waited for. */
export async function readStart(response: Response): Promise<string> {
  try {
    return await readText(response, START_BYTES, true);
  } catch {
    return '';
  }
}

/** The whole body. Rejects beyond the limit, or with `cut` gives what came before it. */
export async function readText(response: Response, maxBytes: number, cut = false): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of chunksOf(response.body)) {
    bytes += chunk.byteLength;
    text += decoder.decode(chunk, { stream: true });
    if (bytes <= maxBytes) continue;
    if (cut) return text;
    throw new TransportError('too-large', `The answer is larger than the limit of ${maxBytes} bytes.`, {
      limit: maxBytes,
    });
  }
  return text + decoder.decode();
}

/** How long a body may be, and may take, that is read only to keep its connection. */
const SHORT_BYTES = 16 * 1024;
const SHORT_MS = 1000;

/** Done with an answer: a short body is read to its end, so that its connection can be used again; any other is broken off. */
export async function discard({ body, headers }: Response, clock: Clock): Promise<void> {
  if (body === null) return;
  const length = headers.get('content-length');
  if (length === null || !(Number(length) <= SHORT_BYTES)) return body.cancel();
  const reader = body.getReader();
  const timer = clock.setTimeout(() => void reader.cancel().catch(() => {}), SHORT_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // Then the connection is not used again.
  } finally {
    clock.clearTimeout(timer);
  }
}

export interface EventReader {
  onevent(event: EventSourceMessage): void;
  onretry(ms: number): void;
  readonly maxBytes: number;
}

/** Hands over the events of a stream until it ends. Rejects when it breaks. */
export async function readEvents(body: ReadableStream<Uint8Array>, reader: EventReader): Promise<void> {
  const feed = eventFeed(reader);
  for await (const chunk of chunksOf(body)) feed(chunk);
}

/** Takes the bytes of an event stream as they come, and hands over the events in them. Throws when one is too large. */
export function eventFeed(reader: EventReader): (chunk: Uint8Array) => void {
  const { maxBytes } = reader;
  let fault: Error | undefined;
  const tooLarge = (): void =>
    void (fault = new TransportError('too-large', `An event is larger than the limit of ${maxBytes} bytes.`, {
      limit: maxBytes,
    }));
  const parser = createParser({
    onEvent: (event) => (event.data.length > maxBytes ? tooLarge() : reader.onevent(event)),
    onRetry: (ms) => reader.onretry(ms),
    // A field that nobody knows is no fault.
    onError: (error) => (error.type === 'max-buffer-size-exceeded' ? tooLarge() : undefined),
    maxBufferSize: maxBytes,
  });
  const decoder = new TextDecoder();
  const toLines = newlinesOnly();
  return (chunk) => {
    parser.feed(toLines(decoder.decode(chunk, { stream: true })));
    if (fault !== undefined) throw fault;
  };
}

/**
 * Makes one kind of line end of all three that a stream may have. Why not leave that to the parser: it looks for the next line feed at every carriage return, so a
 * chunk that is full of them takes time by the square of its length.
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

/** Why not `for await` over the body: Safari's streams are not iterable. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Leaving early ends the connection; after the end this does nothing.
    void reader.cancel().catch(() => {});
  }
}
