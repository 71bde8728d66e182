import { INTERNAL_ERROR } from '../jsonrpc/codes.ts';
import type { ErrorObject } from '../jsonrpc/message.ts';
import { ProtocolError, kindOfCode, type FaultKind } from '../protocol/errors.ts';
import type { Revision } from './revision.ts';

export type NamedFault = Exclude<FaultKind, 'other'>;

/** Returns a lookup of kinds by code, for a revision that lacks the codes of some. */
export function kindsWithout(...lacking: readonly FaultKind[]): (error: ErrorObject) => FaultKind {
  return ({ code }) => {
    const kind = kindOfCode(code);
    return lacking.includes(kind) ? 'other' : kind;
  };
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
