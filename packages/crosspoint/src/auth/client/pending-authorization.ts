import type { AuthorizationServerMetadata } from '../oauth-types.ts';
import type { OAuthClientProvider } from './oauth-client-provider.ts';

/** A login that waits for its answer: issuer, verifier and state of one request, in one record. */
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

/** Stores the record with the provider, and in memory for providers that store only the verifier. */
export async function keepPending(provider: OAuthClientProvider, pending: PendingAuthorization): Promise<void> {
  KEPT.set(provider, pending);
  await provider.savePending?.(pending);
  await provider.saveCodeVerifier(pending.codeVerifier);
}

/** The record of the pending login. */
export async function findPending(provider: OAuthClientProvider): Promise<PendingAuthorization | undefined> {
  return (await provider.pending?.()) ?? KEPT.get(provider);
}

/** Deletes the record before the answer is used, so that it cannot be used twice. */
export async function dropPending(provider: OAuthClientProvider): Promise<void> {
  KEPT.delete(provider);
  await provider.invalidateCredentials?.('verifier');
}
