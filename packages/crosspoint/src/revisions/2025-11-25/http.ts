import { FAULT_CODES } from '../../protocol/errors.ts';
import type { HttpRules } from '../revision.ts';

/** Errors travel with status 200: the status speaks of the transport alone. A rate limit keeps its 429, which proxies and clients act on. */
export const http: HttpRules = {
  streamable: true,
  sessions: true,
  versionHeader: 'after-opening',
  mirrorsBody: false,
  polling: true,
  cancelsByClosing: false,
  errorStatus: ({ code }) => (code === FAULT_CODES['rate-limited'] ? 429 : 200),
};
