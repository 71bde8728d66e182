import type { Authority } from '../issuing/authority.ts';
import type { KnownClient } from './oauth-client.ts';
import { coversScopes, OAuthFault, readScopes } from 'crosspoint/internal/auth-server';

type Offer = Pick<Authority, 'scopes' | 'openScopes' | 'defaultScopes' | 'hierarchy'>;

export interface ScopeRules {
  /** Neither a user nor an organisation's identity provider has approved the scopes. */
  readonly unattended?: boolean;
}

/**
 * The scopes that a client may request. A configured client: those in its `scope`; without a `scope` all of them, or none in an unattended
 * request. Any other client: the `openScopes`.
 */
function scopesFor(client: KnownClient, { scopes, openScopes }: Offer, { unattended }: ScopeRules): readonly string[] {
  if (client.origin !== 'configured') return openScopes;
  if (client.scope === undefined) return unattended ? [] : scopes;
  return readScopes(client.scope) ?? [];
}

/** The subset of `scopes` that the server offers and the client may request. */
export function limitScopes(
  scopes: readonly string[],
  client: KnownClient,
  offer: Offer,
  rules: ScopeRules = {},
): readonly string[] {
  const may = scopesFor(client, offer, rules);
  return scopes.filter((scope) => offer.scopes.includes(scope) && coversScopes(may, [scope], offer.hierarchy));
}

/**
 * The scopes of a request. Throws `invalid_scope` for more than the client may request. A client that names none gets those it registered
 * with, or the server's default, within the same limit.
 */
export function readRequestedScopes(
  text: string | null,
  client: KnownClient,
  offer: Offer,
  rules: ScopeRules = {},
): readonly string[] {
  const asked = readScopes(text);
  if (asked === undefined)
    throw new OAuthFault('invalid_scope', 'The scope is malformed: send names with one space between them.');
  if (asked.length === 0) {
    // A document can change between the consent page and the answer; a registration cannot.
    const own = client.origin === 'registered' ? readScopes(client.scope) : undefined;
    return limitScopes(own !== undefined && own.length > 0 ? own : offer.defaultScopes, client, offer, rules);
  }
  const unknown = asked.find((scope) => !offer.scopes.includes(scope));
  if (unknown !== undefined) throw new OAuthFault('invalid_scope', `The scope ${unknown.slice(0, 60)} does not exist.`);
  const allowed = limitScopes(asked, client, offer, rules);
  const refused = asked.find((scope) => !allowed.includes(scope));
  if (refused !== undefined) throw new OAuthFault('invalid_scope', `The client may not ask for the scope ${refused}.`);
  return asked;
}
