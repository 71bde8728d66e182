import type { OAuthClientInformationFull } from '../../shared/auth.ts';

/** Where the program keeps the clients of its authorization server. */
export interface OAuthRegisteredClientsStore {
  getClient(clientId: string): OAuthClientInformationFull | undefined | Promise<OAuthClientInformationFull | undefined>;
  /**
   * Stores a registration; without it there is none. The secret is already made, and the id unless `clientIdGeneration` is `false`. An
   * expired secret must stay where it is: a client without one is let in without one.
   */
  registerClient?(
    client: Omit<OAuthClientInformationFull, 'client_id' | 'client_id_issued_at'>,
  ): OAuthClientInformationFull | Promise<OAuthClientInformationFull>;
}
