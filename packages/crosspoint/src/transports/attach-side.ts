import type { BadFrame, Transport, TransportSide } from './transport.ts';

/** Has a transport tell `side` from now on. Callbacks that the program has set on it stay in place and are called first. */
export function attachSide(transport: Transport, side: TransportSide & { onbadframe(frame: BadFrame): void }): void {
  if (transport.attachSide !== undefined) return transport.attachSide(side);
  const { onclose, onerror, onmessage } = transport;
  transport.onmessage = (message, extra) => {
    onmessage?.(message, extra);
    side.onmessage?.(message, extra);
  };
  transport.onbadframe = (frame) => side.onbadframe(frame);
  transport.onerror = (error) => {
    onerror?.(error);
    side.onerror?.(error);
  };
  transport.onclose = () => {
    onclose?.();
    side.onclose?.();
  };
}
