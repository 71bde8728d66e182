import { attempt, report } from '../runtime/guard.ts';
import type { JSONRPCMessage } from '../jsonrpc/message.ts';
import type { BadFrame, MessageExtraInfo, Transport, TransportSide } from './transport.ts';

/** Has a transport tell `side` from now on. Callbacks that the program has set on it stay in place and are called first. */
export function attachSide(transport: Transport, side: TransportSide & { onbadframe(frame: BadFrame): void }): void {
  if (transport.attachSide !== undefined) return transport.attachSide(side);
  const { onclose, onerror, onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if (onmessage) observe(onmessage, side, message, extra);
    side.onmessage?.(message, extra);
  };
  transport.onbadframe = (frame) => side.onbadframe(frame);
  transport.onerror = (error) => {
    report(onerror, error);
    side.onerror?.(error);
  };
  transport.onclose = () => {
    if (onclose) attempt(onclose, (error) => side.onerror?.(error));
    side.onclose?.();
  };
}

/** Shows a message to a callback of the program. By itself, because a closure in the path of every message would cost something. */
export function observe(
  onmessage: NonNullable<TransportSide['onmessage']>,
  side: Pick<TransportSide, 'onerror'>,
  message: JSONRPCMessage,
  extra: MessageExtraInfo | undefined,
): void {
  attempt(
    () => onmessage(message, extra),
    (error) => side.onerror?.(error),
  );
}
