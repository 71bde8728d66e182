import { kindOf, type JSONRPCBatch, type JSONRPCMessage } from '../../../jsonrpc/message.ts';
import { pause, type Clock } from '../../../peer/clock.ts';
import { TransportError } from '../../../protocol/errors.ts';

/** Delay before each repetition. */
const DELAYS_MS = [250, 500, 1000, 2000, 4000, 4000, 4000, 4000, 4000, 4000] as const;
/** Statuses of a server or proxy that is temporarily unable to accept the message. */
const BUSY: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether a message answers a request of the server. */
export function isAnswer(message: JSONRPCMessage | JSONRPCBatch): boolean {
  const kind = kindOf(message);
  return kind === 'result' || kind === 'error';
}

/**
 * Posts an answer to a request of the server, and repeats it for about 28 s while the server is unreachable or busy. The server waits for
 * the answer and recognises a duplicate by its id.
 */
export async function sendAnswer(send: () => Promise<Response>, clock: Clock, signal: AbortSignal): Promise<Response> {
  for (const delay of DELAYS_MS) {
    try {
      const response = await send();
      if (!BUSY.has(response.status)) return response;
      await response.body?.cancel();
    } catch (error) {
      if (signal.aborted || !(error instanceof TransportError) || error.code !== 'network') throw error;
    }
    await pause(delay, clock, signal);
  }
  return send();
}
