import { TransportError } from '../../../../protocol/errors.ts';
import type { Refusal } from '../adapters/reply-headers.ts';

const invalid = (status: number, message: string): Refusal => ({ status, kind: 'invalid-request', message });

/** Why a session refuses a request as a whole. */
export const REFUSED: Readonly<
  Record<'foreignEvent' | 'forgottenStream' | 'secondStanding' | 'sessionOver' | 'closedEarly', Refusal>
> = {
  foreignEvent: invalid(400, 'The Last-Event-ID is not of this session.'),
  forgottenStream: invalid(400, 'Nothing is kept any more of the stream of this Last-Event-ID.'),
  secondStanding: invalid(409, 'There is a standing stream already; one is enough.'),
  sessionOver: invalid(404, 'The session is over: send initialize again.'),
  closedEarly: {
    status: 503,
    kind: 'internal',
    message: 'The session was closed before the request was answered.',
  },
};

export function tooMany(max: number, what: 'requests' | 'streams'): Refusal {
  return { status: 429, kind: 'rate-limited', message: `No more than ${max} ${what} at once.` };
}

/** Why a question cannot reach the client. */
export function cannotAsk(why: string): TransportError {
  return new TransportError('closed', why);
}
