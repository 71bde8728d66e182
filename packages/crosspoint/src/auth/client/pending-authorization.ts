import type { AuthorizationServerMetadata } from '../oauth-types.ts';
import type { OAuthClientProvider } from './oauth-client-provider.ts';

/** A login that waits for its answer: the issuer, the verifier and the state of one question, kept as one record. */
export interface PendingAuthorization {
  /** From validated metadata. */
  readonly issuer: string;
  readonly codeVerifier: string;
  readonly state: string;
  readonly redirectUri: string;
  readonly clientId: string;
  readonly resource: string;
  readonly scope: string | undefined;
  readonly metadata: AuthorizationServerMetadata;
}

const KEPT = new WeakMap<OAuthClientProvider, PendingAuthorization>();

/** Keeps the record with the provider, and beside it for providers that keep the verifier alone. */
export async function keepPending(provider: OAuthClientProvider, pending: PendingAuthorization): Promise<void> {
  KEPT.set(provider, pending);
  await provider.savePending?.(pending);
  await provider.saveCodeVerifier(pending.codeVerifier);
}

/** The record of the login that waits. */
export async function findPending(provider: OAuthClientProvider): Promise<PendingAuthorization | undefined> {
  return (await provider.pending?.()) ?? KEPT.get(provider);
}

/** The answer is about to be used, and cannot be used again, whatever comes of it. */
export async function dropPending(provider: OAuthClientProvider): Promise<void> {
  KEPT.delete(provider);
  await provider.invalidateCredentials?.('verifier');
}
