import { INTERNAL_ERROR, INVALID_PARAMS } from '../../jsonrpc/codes.ts';
import { isJsonObject, type ErrorObject } from '../../jsonrpc/message.ts';
import { FAULT_CODES, type FaultKind } from '../../protocol/errors.ts';
import { errorCodec, kindsWithout, type NamedFault } from '../error-codec.ts';
import type { Revision } from '../revision.ts';

const codes: Readonly<Record<NamedFault, number>> = {
  ...FAULT_CODES,
  'resource-not-found': INVALID_PARAMS,
  'url-elicitation-required': INTERNAL_ERROR,
};

/** A server may still use the old code for a missing resource. */
const kindByCode = kindsWithout('url-elicitation-required');

function kindOf(error: ErrorObject): FaultKind {
  const namesResource =
    error.code === INVALID_PARAMS && isJsonObject(error.data) && typeof error.data['uri'] === 'string';
  return namesResource ? 'resource-not-found' : kindByCode(error);
}

export const errors: Pick<Revision, 'readError' | 'writeError'> = errorCodec({
  codes,
  kindOf,
  // The whole range belongs to JSON-RPC and to the protocol: programs choose their numbers outside it.
  mayEmit: (code) => code < -32768 || code > -32000,
});
