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

/** What the specification gives a status; every other error is an answer like any other. */
export const http: HttpRules = {
  streamable: true,
  sessions: false,
  versionHeader: 'all',
  mirrorsBody: true,
  polling: false,
  cancelsByClosing: true,
  suggestsTwoEndpoints: () => false,
  errorStatus: ({ code }) => STATUS.get(code) ?? 200,
};
