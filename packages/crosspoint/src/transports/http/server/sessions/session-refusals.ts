import { TransportError } from '../../../../protocol/errors.ts';
import type { HttpRefusal } from '../adapters/refuse.ts';

/** Refusals of a request as a whole, by a session. */
export const REFUSED: Readonly<
  Record<'foreignEvent' | 'forgottenStream' | 'secondStanding' | 'sessionOver' | 'closedEarly', HttpRefusal>
> = {
  foreignEvent: { status: 400, message: 'The Last-Event-ID belongs to another session.' },
  forgottenStream: { status: 400, message: 'The stream of this Last-Event-ID is no longer stored.' },
  secondStanding: { status: 409, message: 'The session already has a standing stream.' },
  sessionOver: { status: 404, message: 'The session has ended: send initialize again.' },
  closedEarly: {
    status: 503,
    kind: 'internal',
    message: 'The session was closed before the request was answered.',
  },
};

export function tooMany(max: number, what: 'requests' | 'streams'): HttpRefusal {
  return { status: 429, kind: 'rate-limited', message: `The session allows at most ${max} ${what} at once.` };
}

/**
 * For an unknown version, or one of the handshake family. It has no error code of the per-request family, by which clients would take this
 * server for one of that family.
 */
export function unsupportedVersion(named: string | undefined): HttpRefusal {
  const message = `Protocol version ${named?.slice(0, 40) ?? ''} is not supported.`;
  return { status: 400, kind: 'invalid-params', message };
}

/** A question that cannot be sent to the client, and why. */
export function cannotAsk(why: string): TransportError {
  return new TransportError('closed', why);
}
