import type { Store } from 'crosspoint/server';
import { isDocumentAddress, type ClientDocuments } from './client-id-document.ts';
import { requireSignatureKeys } from './client-keys.ts';
import { readClientMetadata } from './client-metadata.ts';
import { CLIENT_CREDENTIALS, grantTypesOf } from '../issuing/grant-types.ts';
import { isPublic, redirectsOf, type KnownClient, type OAuthClient } from './oauth-client.ts';
import { OAuthFault, randomText, readScopes } from 'crosspoint/internal/auth-server';
import { RecordRing } from '../issuing/record-ring.ts';
import { redirectFault } from './redirect-uri.ts';
import { asJson, errorMessage, sha256Base64Url } from 'crosspoint/internal';

const DAY = 86_400_000;

/** @deprecated Dynamic client registration is deprecated by PR 2858, in favour of client ID metadata documents; the earliest revision without it is the first on or after 2027-07-28. */
export interface RegistrationOptions {
  /** Most registrations from one address in an hour; 20 when absent. */
  readonly maxPerHour?: number;
  /** Most registrations from all addresses together in an hour; 1,000 when absent. */
  readonly maxPerHourOfAll?: number;
  /** Most unused registrations to keep; a new one replaces the oldest. 1,000 when absent. */
  readonly maxUnused?: number;
  /** Milliseconds that a registration without a login is kept; one day when absent. */
  readonly unusedMs?: number;
  /** Milliseconds that a registration is kept after its last use; 90 days when absent. */
  readonly usedMs?: number;
}

/** The stored record of a registration. */
interface RegisteredClient extends KnownClient {
  /** Whether somebody has logged in with it. */
  readonly used?: boolean;
}

/** Client programs: configured by the operator, registered, or described by a metadata document. */
export class Clients {
  readonly #store: Store;
  readonly #configured: Promise<ReadonlyMap<string, KnownClient>>;
  readonly #documents: ClientDocuments | undefined;
  readonly #registration: RegistrationOptions | undefined;
  readonly #ring: RecordRing;

  constructor(
    store: Store,
    configured: readonly OAuthClient[],
    documents: ClientDocuments | undefined,
    registration: RegistrationOptions | undefined,
  ) {
    for (const client of configured) requireUsable(client);
    this.#store = store;
    this.#documents = documents;
    this.#registration = registration;
    this.#ring = new RecordRing(store, 'oauth:registration', registration?.maxUnused ?? 1000);
    this.#configured = Promise.all(configured.map(digested)).then(
      (clients) => new Map(clients.map((client) => [client.client_id, client])),
    );
  }

  async find(clientId: string): Promise<KnownClient> {
    const configured = (await this.#configured).get(clientId);
    if (configured) return configured;
    if (this.#documents && isDocumentAddress(clientId)) return this.#documents.find(clientId);
    const kept = clientId.length > 200 ? undefined : await this.#store.get(keyOf(clientId));
    if (kept === undefined) throw new OAuthFault('invalid_client', 'The client is unknown: register it first.');
    return { ...(kept.value as object as KnownClient), origin: 'registered' };
  }

  /** Registers a program; its secret is returned only here. Scopes other than `scopes` are removed from the registration. */
  async register(
    metadata: unknown,
    { nowSeconds, scopes }: { nowSeconds: number; scopes: readonly string[] },
  ): Promise<{ client: KnownClient; secret?: string }> {
    const { scope: named, ...read } = await readClientMetadata(metadata);
    const scope = readScopes(named)?.filter((one) => scopes.includes(one));
    const secret = read.token_endpoint_auth_method?.startsWith('client_secret_') ? randomText() : undefined;
    const client: KnownClient = {
      ...read,
      client_id: crypto.randomUUID(),
      origin: 'registered',
      ...(scope !== undefined && scope.length > 0 && { scope: scope.join(' ') }),
      ...(secret !== undefined && { secretDigest: await sha256Base64Url(secret), client_secret_expires_at: 0 }),
      client_id_issued_at: nowSeconds,
    };
    const ttlMs = this.#registration?.unusedMs ?? DAY;
    await this.#store.put(keyOf(client.client_id), asJson(client), { ttlMs });
    const oldest = await this.#ring.take(client.client_id, ttlMs);
    if (oldest !== undefined) await this.#dropUnused(oldest);
    return secret === undefined ? { client } : { client, secret };
  }

  /** Marks a registration as used, which extends its life. */
  async used(client: KnownClient): Promise<void> {
    if (client.origin !== 'registered') return;
    const key = keyOf(client.client_id);
    const found = await this.#store.get(key);
    if (found === undefined) return;
    const ttlMs = this.#registration?.usedMs ?? 90 * DAY;
    const record = found.value as object as RegisteredClient;
    if (record.used) await this.#store.touch(key, ttlMs);
    else await this.#store.put(key, asJson({ ...record, used: true }), { ttlMs });
  }

  async #dropUnused(clientId: string): Promise<void> {
    const found = await this.#store.get(keyOf(clientId));
    if (found === undefined || (found.value as object as RegisteredClient).used) return;
    // Deletes this version only, since a login may be marking it as used at this moment.
    await this.#store.delete(keyOf(clientId), found.version);
  }
}

async function digested({ client_secret: secret, ...client }: OAuthClient): Promise<KnownClient> {
  return {
    ...client,
    origin: 'configured',
    ...(secret !== undefined && { secretDigest: await sha256Base64Url(secret) }),
  };
}

/** Throws for a client that could never log in, so that the operator notices at startup. */
function requireUsable(client: OAuthClient): void {
  const known: KnownClient = { ...client, origin: 'configured' };
  for (const uri of redirectsOf(known)) {
    const fault = redirectFault(uri);
    if (fault !== undefined)
      throw new TypeError(`A redirect URI of the client ${client.client_id} is refused: ${fault}.`);
  }
  if (isPublic(known) && client.client_secret !== undefined)
    throw new TypeError(`The client ${client.client_id} has a secret and needs a token_endpoint_auth_method.`);
  if (isPublic(known) && grantTypesOf(known).includes(CLIENT_CREDENTIALS))
    throw new TypeError(`The client ${client.client_id} acts for itself, so it needs a secret or keys.`);
  if (client.jwks !== undefined) {
    try {
      requireSignatureKeys(client.jwks);
    } catch (error) {
      const reason = errorMessage(error);
      throw new TypeError(`The keys of the client ${client.client_id} cannot be used: ${reason}.`, { cause: error });
    }
  }
}

function keyOf(clientId: string): string {
  return `oauth:client:${clientId}`;
}
