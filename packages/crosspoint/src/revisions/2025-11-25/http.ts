import type { HttpRules } from '../revision.ts';

/** Errors travel inside a successful exchange: the status speaks of the transport alone. */
export const http: HttpRules = {
  streamable: true,
  sessions: true,
  versionHeader: 'after-opening',
  mirrorsBody: false,
  polling: true,
  cancelsByClosing: false,
  suggestsTwoEndpoints: (status) => status === 400 || status === 404 || status === 405,
  errorStatus: () => 200,
};
