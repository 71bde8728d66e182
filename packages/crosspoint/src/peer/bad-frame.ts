import { TransportError } from '../protocol/errors.ts';
import type { BadFrame } from '../transports/transport.ts';

/** Input without a message, as a problem to report. */
export function problemIn(frame: BadFrame): TransportError {
  if (frame.kind === 'unparsable')
    return new TransportError('bad-frame', `Not a message: ${frame.reason}`, { start: frame.start });
  const { id, limit } = frame;
  return new TransportError('too-large', `A message was larger than the limit of ${limit} bytes and was dropped.`, {
    limit,
    id,
  });
}
