import { ProtocolError, TransportError, isProtocolError } from 'crosspoint/client';
import { childFault } from './child-fault.ts';

/**
 * The error that a client of the bridge gets for one that came over the hop to the server. Errors of the server pass as they are; those about the hop itself
 * become internal errors of the bridge, because the client has no part in them.
 */
export function relayedError(error: unknown): Error {
  if (isProtocolError(error)) {
    if (error.kind !== 'header-mismatch' && error.kind !== 'unsupported-version') return error;
    return new ProtocolError('internal', `The bridge and the server do not agree on the protocol: ${error.message}`);
  }
  const fault = childFault(error);
  if (fault !== undefined) return fault;
  if (!(error instanceof Error)) return new ProtocolError('internal', 'The bridge failed without saying why.');
  const reason = error instanceof TransportError ? { reason: error.code } : undefined;
  const told = `The server behind the bridge failed: ${withoutAddresses(error.message)}`;
  return new ProtocolError('internal', told, reason, { cause: error });
}

/** Callers need not know where the server is. */
function withoutAddresses(message: string): string {
  return message
    .replaceAll(/\bhttps?:\/\/\S+/g, 'its address')
    .replaceAll(/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g, 'its address');
}
