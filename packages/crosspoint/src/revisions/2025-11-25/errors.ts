import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST } from '../../jsonrpc/codes.ts';
import { FAULT_CODES } from '../../protocol/errors.ts';
import { errorCodec, kindsWithout, type NamedFault } from '../error-codec.ts';
import type { Revision } from '../revision.ts';

/** General codes for the kinds of the per-request family: its own codes would make a client take the server for one of that family. */
const codes: Readonly<Record<NamedFault, number>> = {
  ...FAULT_CODES,
  'header-mismatch': INVALID_REQUEST,
  // The request itself is fine, but this client must not make it: closest to "not a valid request".
  'missing-capability': INVALID_REQUEST,
  'unsupported-version': INVALID_PARAMS,
};

const PER_REQUEST = ['header-mismatch', 'missing-capability', 'unsupported-version'] as const;

const isPerRequestCode = (code: number): boolean => code <= -32020 && code >= -32022;

export const errors: Pick<Revision, 'readError' | 'writeError'> = errorCodec({
  codes,
  kindOf: kindsWithout(...PER_REQUEST),
  mayEmit: (code) => !isPerRequestCode(code),
});

/** Before URL elicitation existed. */
export const errorsWithoutUrlElicitation: Pick<Revision, 'readError' | 'writeError'> = errorCodec({
  codes: { ...codes, 'url-elicitation-required': INTERNAL_ERROR },
  kindOf: kindsWithout('url-elicitation-required', ...PER_REQUEST),
  mayEmit: (code) => !isPerRequestCode(code),
});
