import { INTERNAL_ERROR } from '../jsonrpc/codes.ts';
import type { ErrorObject } from '../jsonrpc/message.ts';
import { ProtocolError, type FaultKind } from '../protocol/errors.ts';
import type { Revision } from './revision.ts';

export type NamedFault = Exclude<FaultKind, 'other'>;

export interface ErrorRules {
  /** The number each kind is sent as. */
  readonly codes: Readonly<Record<NamedFault, number>>;
  /** What a received error means; `other` where its number has no fixed meaning. */
  kindOf(error: ErrorObject): FaultKind;
  /** Whether a number that the program chose itself may be sent. */
  mayEmit(code: number): boolean;
}

/** Errors by kind: the number is looked up on the way out and kept, as it came, on the way in. */
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
      const written: ErrorObject = { code: named ?? own, message: textOf(error.message) };
      if (error.data !== undefined) written.data = error.data;
      return written;
    },
  };
}

/** A message is required; what is no text is not shown. */
function textOf(message: unknown): string {
  return typeof message === 'string' ? message : 'Unknown error';
}
