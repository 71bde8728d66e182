import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR } from '../jsonrpc/codes.ts';
import type { ErrorObject } from '../jsonrpc/message.ts';
import { ProtocolError, type FaultKind } from '../protocol/errors.ts';
import type { Revision } from './revision.ts';

export type NamedFault = Exclude<FaultKind, 'other'>;

/** Codes with one meaning in all revisions. A server of the per-request family may still use the old one for a missing resource. */
const SHARED_KINDS: readonly (readonly [number, FaultKind])[] = [
  [PARSE_ERROR, 'parse-error'],
  [INVALID_REQUEST, 'invalid-request'],
  [METHOD_NOT_FOUND, 'method-not-found'],
  [INVALID_PARAMS, 'invalid-params'],
  [INTERNAL_ERROR, 'internal'],
  [-32002, 'resource-not-found'],
  [-1, 'user-rejected'],
  [429, 'rate-limited'],
  [409, 'idempotency-conflict'],
];

/** Returns a lookup of kinds by code, among the shared codes and `more`. */
export function kindsByCode(...more: readonly (readonly [number, FaultKind])[]): (error: ErrorObject) => FaultKind {
  const kinds = new Map([...SHARED_KINDS, ...more]);
  return (error) => kinds.get(error.code) ?? 'other';
}

export interface ErrorRules {
  /** The code that each kind is sent as. */
  readonly codes: Readonly<Record<NamedFault, number>>;
  /** The kind of a received error; `other` where its code has no fixed meaning. */
  kindOf(error: ErrorObject): FaultKind;
  /** Whether a code that the program chose itself may be sent. */
  mayEmit(code: number): boolean;
}

/** Reads and writes errors: the code is looked up on the way out, and kept as it came on the way in. */
export function errorCodec(rules: ErrorRules): Pick<Revision, 'readError' | 'writeError'> {
  const codes: ReadonlyMap<string, number> = new Map(Object.entries(rules.codes));
  return {
    readError(error) {
      const code = Number.isInteger(error.code) ? error.code : INTERNAL_ERROR;
      return new ProtocolError(rules.kindOf(error), textOf(error.message), error.data, { code });
    },
    writeError(error) {
      const named = codes.get(error.kind);
      const own = Number.isInteger(error.code) && rules.mayEmit(error.code) ? error.code : INTERNAL_ERROR;
      const written: ErrorObject = { code: named ?? own, message: bounded(textOf(error.message)) };
      if (error.data !== undefined) written.data = error.data;
      return written;
    },
  };
}

/** The message of a received error. It is required; a value that is no text is not shown. */
function textOf(message: unknown): string {
  return typeof message === 'string' ? message : 'Unknown error';
}

const LONGEST_MESSAGE = 2000;

/** Shortens a message. Messages quote the request, which a peer can make as long as it likes. */
function bounded(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE)}…`;
}
