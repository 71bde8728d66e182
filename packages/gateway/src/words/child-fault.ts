import { ProtocolError, TransportError } from 'crosspoint/client';
import { visibleText } from '../values/visible-text.ts';

/** Longest stderr that a caller is told. */
const LONGEST = 4000;
const DEEPEST = 8;

/**
 * The error that callers are told when the process of a server could not be started, or ended: how it ended, and the last lines of its stderr, with unseen characters
 * as their codes. `hide` masks values that must not be shown. `undefined` for any other error.
 */
export function childFault(error: unknown, hide: (text: string) => string = (text) => text): ProtocolError | undefined {
  const found = failureIn(error);
  if (found === undefined) return undefined;
  if (found.code === 'spawn-failed') {
    const { errno } = found.details;
    const data = { reason: 'spawn-failed', ...(typeof errno === 'string' && { errno }) };
    return new ProtocolError('internal', shown(found.message, hide), data, { cause: error });
  }
  const { exitCode, signal, stderr } = found.details;
  const how = typeof signal === 'string' ? `was ended by ${signal}` : `exited with code ${String(exitCode)}`;
  const lines = typeof stderr === 'string' ? shown(stderr, hide) : '';
  const told = lines === '' ? 'It wrote nothing to stderr.' : `Its last lines on stderr:\n${lines}`;
  const data = { reason: 'child-exited', exitCode: exitCode ?? null, signal: signal ?? null, stderr: lines };
  return new ProtocolError('internal', `The process of the server ${how}. ${told}`, data, { cause: error });
}

/** The failure of a process, which may be the cause of the error that a client rejects with. */
function failureIn(error: unknown): TransportError | undefined {
  let one = error;
  for (let depth = 0; depth < DEEPEST && one instanceof Error; depth += 1) {
    if (one instanceof TransportError && (one.code === 'child-exited' || one.code === 'spawn-failed')) return one;
    one = one.cause;
  }
  return undefined;
}

/** The end of a text, whole lines where there are several. Values are masked first, since masking a cut text could miss a part of one. */
function shown(text: string, hide: (text: string) => string): string {
  const visible = visibleText(hide(text));
  if (visible.length <= LONGEST) return visible;
  const end = visible.slice(-LONGEST);
  const line = end.indexOf('\n');
  return `… ${line === -1 ? end : end.slice(line + 1)}`;
}
