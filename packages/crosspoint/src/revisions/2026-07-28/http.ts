import { INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR } from '../../jsonrpc/codes.ts';
import { FAULT_CODES } from '../../protocol/errors.ts';
import type { HttpRules } from '../revision.ts';

const STATUS: ReadonlyMap<number, number> = new Map([
  [PARSE_ERROR, 400],
  [INVALID_REQUEST, 400],
  [METHOD_NOT_FOUND, 404],
  [FAULT_CODES['header-mismatch'], 400],
  [FAULT_CODES['missing-capability'], 400],
  [FAULT_CODES['unsupported-version'], 400],
  [FAULT_CODES['rate-limited'], 429],
]);

/** Statuses for the errors to which the specification gives one; every other error is sent with 200. */
export const http: HttpRules = {
  streamable: true,
  sessions: false,
  versionHeader: 'all',
  mirrorsBody: true,
  polling: false,
  cancelsByClosing: true,
  errorStatus: ({ code }) => STATUS.get(code) ?? 200,
};
