import type { HttpRules } from '../revision.ts';

/** Errors travel inside a successful exchange: the status speaks of the transport alone. */
export const http: HttpRules = {
  streamable: true,
  sessions: true,
  versionHeader: 'after-opening',
  mirrorsBody: false,
  polling: true,
  errorStatus: () => 200,
};
