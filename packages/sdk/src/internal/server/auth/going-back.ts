import type { Response } from 'express';
import type { OAuthError } from '../../../server/auth/errors.ts';
import { isOnOwnMachine } from './redirect-uri.ts';

/** Where the response to an authorization request goes. */
export interface WayBack {
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** Anybody can register a client, and with it this address. */
  readonly isOpen: boolean;
}

/**
 * Tells a client that its authorization request failed. Where anybody can register an address, redirecting at once would make this server
 * an open redirector: the user gets a page with a link, unless the address is on the user's own machine (RFC 9700, section 4.11.2).
 */
export function sendBack(response: Response, { redirectUri, state, isOpen }: WayBack, error: OAuthError): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  const url = new URL(redirectUri);
  url.searchParams.set('error', error.errorCode);
  url.searchParams.set('error_description', error.message);
  if (error.errorUri) url.searchParams.set('error_uri', error.errorUri);
  if (state) url.searchParams.set('state', state);
  if (!isOpen || isOnOwnMachine(redirectUri)) response.redirect(302, url.href);
  else showLink(response, url, `${error.message} (${error.errorCode})`);
}

/** A page that cannot be framed, runs no script and loads nothing. */
function showLink(response: Response, url: URL, message: string): void {
  response.set({
    'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  });
  const title = 'This request failed';
  const link = `<a rel="noreferrer" href="${escapeHtml(url.href)}">Go back to ${escapeHtml(url.host || url.protocol)}</a>`;
  response
    .status(400)
    .type('html')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>` +
        `<body><main><h1>${title}</h1><p>${escapeHtml(message)}</p><p>${link}</p></main></body></html>`,
    );
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.codePointAt(0) ?? 0};`);
}
