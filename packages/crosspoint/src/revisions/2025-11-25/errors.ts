import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST } from '../../jsonrpc/codes.ts';
import { FAULT_CODES, type FaultKind } from '../../protocol/errors.ts';
import { errorCodec, type NamedFault } from '../error-codec.ts';
import type { Revision } from '../revision.ts';

/** The numbers of the per-request family would be read as a server of that family, so its kinds get general ones here. */
const codes: Readonly<Record<NamedFault, number>> = {
  ...FAULT_CODES,
  'header-mismatch': INVALID_REQUEST,
  // The request itself is fine, but this client must not make it: closest to "not a valid request".
  'missing-capability': INVALID_REQUEST,
  'unsupported-version': INVALID_PARAMS,
};

const kinds: ReadonlyMap<number, FaultKind> = new Map<number, FaultKind>([
  [-32700, 'parse-error'],
  [-32600, 'invalid-request'],
  [-32601, 'method-not-found'],
  [-32602, 'invalid-params'],
  [-32603, 'internal'],
  [-32002, 'resource-not-found'],
  [-32042, 'url-elicitation-required'],
  [-1, 'user-rejected'],
  [429, 'rate-limited'],
]);

const isPerRequestCode = (code: number): boolean => code <= -32020 && code >= -32022;

export const errors: Pick<Revision, 'readError' | 'writeError'> = errorCodec({
  codes,
  kindOf: (error) => kinds.get(error.code) ?? 'other',
  mayEmit: (code) => !isPerRequestCode(code),
});

/** Before URL elicitation existed. */
export const errorsWithoutUrlElicitation: Pick<Revision, 'readError' | 'writeError'> = errorCodec({
  codes: { ...codes, 'url-elicitation-required': INTERNAL_ERROR },
  kindOf: (error) => (error.code === -32042 ? 'other' : (kinds.get(error.code) ?? 'other')),
  mayEmit: (code) => !isPerRequestCode(code),
});
