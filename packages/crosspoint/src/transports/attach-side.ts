import { attempt, report } from '../runtime/guard.ts';
import type { JSONRPCMessage } from '../jsonrpc/message.ts';
import { problemIn } from '../peer/bad-frame.ts';
import type { BadFrame, MessageExtraInfo, Transport, TransportSide } from './transport.ts';

/** Makes a transport call `side` from now on. Callbacks that the program set on it stay in place and are called first. */
export function attachSide(transport: Transport, side: TransportSide & { onbadframe(frame: BadFrame): void }): void {
  if (transport.attachSide !== undefined) return transport.attachSide(side);
  const { onclose, onerror, onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if (onmessage) observe(onmessage, side, message, extra);
    side.onmessage?.(message, extra);
  };
  transport.onbadframe = (frame) => {
    if (onerror) report(onerror, problemIn(frame));
    side.onbadframe(frame);
  };
  transport.onerror = (error) => {
    report(onerror, error);
    side.onerror?.(error);
  };
  transport.onclose = () => {
    if (onclose) attempt(onclose, (error) => side.onerror?.(error));
    side.onclose?.();
  };
}

/** Calls the program's `onmessage`. A function of its own, so that messages without such a callback create no closure. */
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
