import type { OAuthTokens } from 'crosspoint/auth';
import { visibleLine } from '@crosspoint/host';

/** A login as commands show it. Tokens are never part of it. */
export interface LoginFacts {
  readonly server: string;
  readonly url: string;
  readonly isLoggedIn: boolean;
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  readonly isExpired?: boolean;
  /** Whether it is renewed by itself. */
  readonly isRenewable?: boolean;
}

type Kept = OAuthTokens & { readonly issuer?: string; readonly expires_at?: number; readonly requested_scope?: string };

export function loginFacts(server: string, url: string, tokens: Kept | undefined): LoginFacts {
  if (tokens === undefined) return { server, url, isLoggedIn: false };
  const scope = tokens.scope ?? tokens.requested_scope ?? '';
  const { issuer, expires_at: expiresAt } = tokens;
  return {
    server,
    url,
    isLoggedIn: true,
    ...(issuer !== undefined && { issuer }),
    scopes: scope.split(' ').filter((word) => word !== ''),
    ...(expiresAt !== undefined && { expiresAt, isExpired: expiresAt <= Date.now() }),
    isRenewable: tokens.refresh_token !== undefined,
  };
}

/** A login in one line. */
export function loginText({
  server,
  isLoggedIn,
  issuer,
  scopes = [],
  expiresAt,
  isExpired,
  isRenewable,
}: LoginFacts): string {
  if (!isLoggedIn) return `${server}: nobody has logged in.`;
  const until =
    expiresAt === undefined
      ? ''
      : isExpired === true
        ? '; its token has expired'
        : `; its token is good until ${new Date(expiresAt).toISOString()}`;
  const renewed = isRenewable === true ? ', and renewed by itself' : '';
  const rights = scopes.length === 0 ? '' : `; ${scopes.join(' ')}`;
  return visibleLine(`${server}: logged in at ${issuer ?? 'an authorization server'}${rights}${until}${renewed}`);
}
