import type { OAuthRegisteredClientsStore, OAuthServerProvider } from 'crosspoint/auth/server';
import {
  endpointHandler,
  type Handler,
  type RateLimitOptions,
} from '../../../internal/server/auth/endpoint-handler.ts';

export type ClientRegistrationHandlerOptions = {
  clientsStore: OAuthRegisteredClientsStore;
  /** Lifetime of a secret in seconds; 30 days when absent, unlimited when 0. */
  clientSecretExpirySeconds?: number;
  rateLimit?: RateLimitOptions;
  /** `false`: the store generates the ids. */
  clientIdGeneration?: boolean;
};

const DAYS_30 = 30 * 24 * 60 * 60;

/** The registration options in the router's terms. */
export function registrationOf({
  clientSecretExpirySeconds = DAYS_30,
  clientIdGeneration = true,
}: Omit<ClientRegistrationHandlerOptions, 'clientsStore'>): { secretLifetime: number; makesIds: boolean } {
  return { secretLifetime: clientSecretExpirySeconds, makesIds: clientIdGeneration };
}

export function clientRegistrationHandler(options: ClientRegistrationHandlerOptions): Handler {
  const { clientsStore, rateLimit } = options;
  if (clientsStore.registerClient === undefined)
    throw new TypeError('The store cannot register clients: it has no registerClient.');
  // A registration uses only the clients of the provider.
  const provider = { clientsStore } as OAuthServerProvider;
  return endpointHandler('register', provider, rateLimit, { registration: registrationOf(options) });
}
