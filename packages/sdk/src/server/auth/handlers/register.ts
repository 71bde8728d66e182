import type { OAuthRegisteredClientsStore, OAuthServerProvider } from 'crosspoint/auth/server';
import {
  endpointHandler,
  type Handler,
  type RateLimitOptions,
} from '../../../internal/server/auth/endpoint-handler.ts';

export type ClientRegistrationHandlerOptions = {
  clientsStore: OAuthRegisteredClientsStore;
  /** For how long a secret is good; 30 days when absent, for ever when 0. */
  clientSecretExpirySeconds?: number;
  rateLimit?: RateLimitOptions;
  /** `false`: the store makes the ids. */
  clientIdGeneration?: boolean;
};

const DAYS_30 = 30 * 24 * 60 * 60;

/** What a registration gives its client, in the words of the router. */
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
  // A registration asks the provider for nothing but its clients.
  const provider = { clientsStore } as OAuthServerProvider;
  return endpointHandler('register', provider, rateLimit, { registration: registrationOf(options) });
}
