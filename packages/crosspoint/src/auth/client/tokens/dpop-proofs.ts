/** Supported algorithms, best first. This file signs nothing, so that importing it loads no signing code. */
import { parseChallenges } from '../../challenge.ts';
import type { FetchLike } from '../../outbound/policy.ts';
import type { DpopSession } from './dpop-session.ts';

export const DPOP_ALGORITHMS = ['ES256', 'EdDSA', 'ES384', 'PS256', 'RS256'] as const;
export type DpopAlgorithm = (typeof DPOP_ALGORITHMS)[number];

/** Whether a request was refused only because its proof had no nonce, or an old one. */
export function isDpopNonceChallenge(response: Response): boolean {
  return (
    response.headers.has('dpop-nonce') &&
    parseChallenges(response.headers.get('www-authenticate')).some(({ params }) => params['error'] === 'use_dpop_nonce')
  );
}

/** Adds a proof to every request, and repeats a request whose proof lacked the nonce that the response brings. For token endpoints. */
export function withProofs(fetch: FetchLike, session: DpopSession): FetchLike {
  return async (url, init = {}) => {
    const send = async (): Promise<Response> => {
      const headers = new Headers(init.headers);
      headers.set('DPoP', await session.buildProof({ method: init.method ?? 'GET', url }));
      return fetch(url, { ...init, headers });
    };
    const first = await send();
    const isNew = session.observeNonce(first, url);
    if (!isNew || (first.status !== 400 && first.status !== 401)) return first;
    const wantsNonce = isDpopNonceChallenge(first) || (await first.clone().text()).includes('use_dpop_nonce');
    if (!wantsNonce) return first;
    const second = await send();
    session.observeNonce(second, url);
    return second;
  };
}
