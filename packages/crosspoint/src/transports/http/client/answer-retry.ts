import { kindOf, type JSONRPCBatch, type JSONRPCMessage } from '../../../jsonrpc/message.ts';
import { pause, type Clock } from '../../../peer/clock.ts';
import { TransportError } from '../../../protocol/errors.ts';

/** How long is waited before an answer is sent again, each time. */
const DELAYS_MS = [250, 500, 1000, 2000, 4000, 4000, 4000, 4000, 4000, 4000] as const;
/** What says that the server, or who stands before it, could not take it just now. */
const BUSY: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether a message answers what the server asked. */
export function isAnswer(message: JSONRPCMessage | JSONRPCBatch): boolean {
  const kind = kindOf(message);
  return kind === 'result' || kind === 'error';
}

/**
 * Sends an answer again for a while when it could not be taken in: whoever asked waits for it and hears of nothing else, and one that comes
 * twice is known by its id.
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
