import { pause, type Clock } from '../../../peer/clock.ts';
import { RateLimit, type Rate } from '../../../peer/rate-limit.ts';
import { TransportError } from '../../../protocol/errors.ts';
import type { Exchange } from './post.ts';
import { httpFailureOf } from './http-failure.ts';
import { reconnectionDelay, type StreamableHTTPReconnectionOptions } from './options.ts';

export interface ResumePort {
  readonly clock: Clock;
  readonly reconnection: StreamableHTTPReconnectionOptions;
  /** A stream that goes on after the event. Rejects when there is none to be had. */
  get(lastEventId: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
}

/** How often the connections of one answer are opened, whatever the server says: so many in a row, and then so many in a second. */
const REOPENING: Rate = { perSecond: 1, burst: 5 };

/**
 * Reads on, connection after connection, until everything owed has come. A server that ends the connection in good order may do so as often
 * as it likes: it works in the background and wants to be asked now and then. Only failures are counted. One that ends every connection at once and wants no pause
 * is given one.
 */
export async function resume(exchange: Exchange, port: ResumePort): Promise<void> {
  const { signal } = exchange.controller;
  const pace = new RateLimit(REOPENING, port.clock);
  for (let failures = 0, quiet = 0; !exchange.isAnswered;) {
    const { lastEventId, retryMs } = exchange.position;
    if (lastEventId === undefined) throw new TypeError('A stream without event ids cannot be resumed.');
    const delay = reconnectionDelay(port.reconnection, failures + quiet, Math.random());
    const wanted = retryMs === undefined ? delay : Math.max(retryMs, failures + quiet === 0 ? 0 : delay);
    await pause(Math.max(wanted, pace.waitMs), port.clock, signal);
    pace.take();
    if (signal.aborted) throw new TransportError('aborted', 'The request was cancelled.');
    try {
      await exchange.readStream(await port.get(lastEventId, signal));
      failures = 0;
    } catch (error) {
      failures += 1;
      if (signal.aborted || !mayPass(error) || failures > port.reconnection.maxRetries) throw error;
    }
    const hasMoved = exchange.position.lastEventId !== lastEventId;
    if (hasMoved) failures = 0;
    quiet = hasMoved || failures > 0 ? 0 : quiet + 1;
  }
}

/** What a server says that has not noticed yet that the stream before has ended, or has too much to do. */
const TOO_EARLY: ReadonlySet<number> = new Set([409, 429]);

/** Whether it may be otherwise in a moment: the network, a broken stream, a server that is starting or busy. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof TransportError)) return true;
  const status = httpFailureOf(error)?.status ?? 0;
  return error.code === 'network' || status >= 500 || TOO_EARLY.has(status);
}
