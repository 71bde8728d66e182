import { FAULT_CODES } from '../../protocol/errors.ts';
import type { HttpRules } from '../revision.ts';

/** Errors travel inside a successful exchange: the status speaks of the transport alone. That a request came too soon, everyone on the way should see. */
export const http: HttpRules = {
  streamable: true,
  sessions: true,
  versionHeader: 'after-opening',
  mirrorsBody: false,
  polling: true,
  cancelsByClosing: false,
  suggestsTwoEndpoints: (status) => status === 400 || status === 404 || status === 405,
  errorStatus: ({ code }) => (code === FAULT_CODES['rate-limited'] ? 429 : 200),
};
