import type { HttpHeaders } from '../../../transports/http/server/adapters/exchange.ts';
import type { OAuthError } from '../../oauth-error.ts';
import { statusOf } from './oauth-fault.ts';

/** A whole HTTP response as a value. */
export interface Answer {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body?: string;
}

/** For responses that hold secrets or depend on them. */
const NO_STORE: HttpHeaders = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/** A page that cannot be framed, runs no script and loads nothing. */
const PAGE_HEADERS: HttpHeaders = {
  ...NO_STORE,
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  // Not "no-referrer": browsers would then omit the origin of forms, which is checked.
  'Referrer-Policy': 'same-origin',
};

export function jsonAnswer(status: number, body: object, headers: HttpHeaders = {}): Answer {
  return {
    status,
    headers: { ...NO_STORE, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

export function errorAnswer(error: OAuthError, headers: HttpHeaders = {}): Answer {
  return jsonAnswer(statusOf(error), error.toResponseObject(), headers);
}

export function pageAnswer(status: number, body: string, headers: HttpHeaders = {}): Answer {
  return { status, headers: { ...PAGE_HEADERS, ...headers }, body };
}

/** Redirects the browser; after a form it continues with GET. */
export function redirectAnswer(url: string, headers: HttpHeaders = {}): Answer {
  return { status: 303, headers: { ...NO_STORE, 'Referrer-Policy': 'no-referrer', ...headers, Location: url } };
}
