import { pause, type Clock } from '../../../peer/clock.ts';
import { RateLimit, type Rate } from '../../../peer/rate-limit.ts';
import { TransportError } from '../../../protocol/errors.ts';
import type { AnswerReader } from './answer-reader.ts';
import { httpFailureOf } from './http-failure.ts';
import { reconnectionDelay, type StreamableHTTPReconnectionOptions } from './options.ts';

export interface ResumePort {
  readonly clock: Clock;
  readonly reconnection: StreamableHTTPReconnectionOptions;
  /** Opens the stream after the given event. Rejects when the server has none. */
  get(lastEventId: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
}

/** Limit for reopening the stream of one answer, whatever delay the server names: five times in a row, then once a second. */
const REOPENING: Rate = { perSecond: 1, burst: 5 };

/**
 * Resumes a stream, connection after connection, until all answers have arrived. A server may end a connection in good order as often as it
 * likes, which is polling; only failures are counted. A server that ends every connection at once and names no delay gets one.
 */
export async function resume(reader: AnswerReader, port: ResumePort): Promise<void> {
  const { signal } = reader.controller;
  const pace = new RateLimit(REOPENING, port.clock);
  for (let failures = 0, quiet = 0; !reader.isAnswered;) {
    const { lastEventId, retryMs } = reader.position;
    if (lastEventId === undefined) throw new TypeError('A stream without event ids cannot be resumed.');
    const delay = reconnectionDelay(port.reconnection, failures + quiet, Math.random());
    const wanted = retryMs === undefined ? delay : Math.max(retryMs, failures + quiet === 0 ? 0 : delay);
    await pause(Math.max(wanted, pace.waitMs), port.clock, signal);
    pace.take();
    if (signal.aborted) throw new TransportError('aborted', 'The request was cancelled.');
    try {
      await reader.readStream(await port.get(lastEventId, signal));
      failures = 0;
    } catch (error) {
      failures += 1;
      if (signal.aborted || !mayPass(error) || failures > port.reconnection.maxRetries) throw error;
    }
    const hasMoved = reader.position.lastEventId !== lastEventId;
    if (hasMoved) failures = 0;
    quiet = hasMoved || failures > 0 ? 0 : quiet + 1;
  }
}

/** Statuses of a server that has not noticed the end of the previous stream yet, or is busy. */
const TOO_EARLY: ReadonlySet<number> = new Set([409, 429]);

/** Whether the error may be temporary: network, broken stream, server starting or busy. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof TransportError)) return true;
  const status = httpFailureOf(error)?.status ?? 0;
  return error.code === 'network' || status >= 500 || TOO_EARLY.has(status);
}
