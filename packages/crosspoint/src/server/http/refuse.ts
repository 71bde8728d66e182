import { ProtocolError, type FaultKind } from '../../protocol/errors.ts';
import { assumedRevision } from '../../revisions/index.ts';
import { sendError } from '../../transports/http/server/adapters/reply-headers.ts';
import type { HttpHeaders, HttpReply } from '../../transports/http/server/adapters/exchange.ts';

export interface Refused {
  readonly status: number;
  readonly kind: FaultKind;
  readonly message: string;
  readonly headers?: HttpHeaders;
}

/** An error in words that every client understands: what is refused here has not said yet which revision it speaks. */
export function refuse(reply: HttpReply, { status, kind, message, headers = {} }: Refused): void {
  const wait = status === 429 || status === 503 ? { 'Retry-After': '1' } : {};
  sendError(reply, status, assumedRevision.writeError(new ProtocolError(kind, message)), {
    headers: { ...wait, ...headers },
  });
}
