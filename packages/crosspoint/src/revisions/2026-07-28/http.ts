import { INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR } from '../../jsonrpc/codes.ts';
import { FAULT_CODES } from '../../protocol/errors.ts';
import type { HttpRules } from '../revision.ts';

/** The status of an error to which the specification gives one; every other error is sent with 200. */
function statusOf(code: number): number {
  switch (code) {
    case METHOD_NOT_FOUND:
      return 404;
    case FAULT_CODES['rate-limited']:
      return 429;
    case PARSE_ERROR:
    case INVALID_REQUEST:
    case FAULT_CODES['header-mismatch']:
    case FAULT_CODES['missing-capability']:
    case FAULT_CODES['unsupported-version']:
      return 400;
    default:
      return 200;
  }
}

export const http: HttpRules = {
  streamable: true,
  sessions: false,
  versionHeader: 'all',
  mirrorsBody: true,
  polling: false,
  cancelsByClosing: true,
  errorStatus: ({ code }) => statusOf(code),
};
