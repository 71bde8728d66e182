import { asJson, atOnce, errorMessage, isJsonObject, sha256Base64Url } from 'crosspoint/internal';
import type { Store } from 'crosspoint/server';
import type { FetchLike } from 'crosspoint/auth';
import { readClientMetadata } from './client-metadata.ts';
import type { KnownClient } from './oauth-client.ts';
import { OAuthFault } from 'crosspoint/internal/auth-server';
import { RecordRing } from '../issuing/record-ring.ts';

export interface ClientDocumentOptions {
  /** Decides whether a document address is accepted; all are when absent. */
  readonly accept?: (clientId: URL) => boolean;
  /** Longest time in milliseconds to keep a document, whatever its headers say; one day when absent. */
  readonly maxAgeMs?: number;
  /** Most documents in the cache; a new one replaces the oldest. 1,000 when absent. */
  readonly maxKept?: number;
}

/** Whether a client id is the address of a metadata document. */
export function isDocumentAddress(clientId: string): boolean {
  return /^https:\/\//i.test(clientId);
}

/** Why an address cannot be a client id (section 3 of the draft); `undefined` when it can. */
export function documentAddressFault(clientId: string): string | undefined {
  if (clientId.length > 2000 || !URL.canParse(clientId)) return 'it is no address';
  const url = new URL(clientId);
  if (url.pathname === '/' || url.pathname === '') return 'it has no path';
  if (clientId.includes('#')) return 'it has a fragment';
  if (url.username !== '' || url.password !== '') return 'it holds credentials';
  if (/\/\.{1,2}(?:\/|$|\?)/.test(clientId)) return 'its path has dot segments';
  return undefined;
}

/** Loads client metadata documents and caches them as long as their headers allow. */
export class ClientDocuments {
  readonly #store: Store;
  readonly #fetch: FetchLike;
  readonly #options: ClientDocumentOptions;
  readonly #ring: RecordRing;

  constructor(store: Store, fetcher: FetchLike, options: ClientDocumentOptions) {
    this.#store = store;
    this.#fetch = fetcher;
    this.#options = options;
    this.#ring = new RecordRing(store, 'oauth:document-place', options.maxKept ?? 1000);
  }

  /** Rejects with `invalid_client` when the document is missing, invalid, or names another client. */
  async find(clientId: string): Promise<KnownClient> {
    const fault = documentAddressFault(clientId);
    if (fault !== undefined) throw refused(`it cannot name one: ${fault}`);
    if (atOnce(this.#options.accept?.(new URL(clientId)), 'accept') === false) throw refused('it is not accepted here');
    const key = `oauth:document:${await sha256Base64Url(clientId)}`;
    const kept = (await this.#store.get(key))?.value as KnownClient | undefined;
    if (kept) return { ...kept, origin: 'document' };
    const response = await this.#load(clientId);
    const client = await read(clientId, await response.text());
    const ttlMs = Math.min(maxAgeOf(response.headers), this.#options.maxAgeMs ?? 86_400_000);
    if (ttlMs > 0) await this.#keep(key, client, ttlMs);
    return client;
  }

  async #keep(key: string, client: KnownClient, ttlMs: number): Promise<void> {
    await this.#store.put(key, asJson(client), { ttlMs });
    const oldest = await this.#ring.take(key, ttlMs);
    if (oldest !== undefined) await this.#store.delete(oldest);
  }

  async #load(clientId: string): Promise<Response> {
    let response: Response;
    try {
      response = await this.#fetch(clientId, { headers: { accept: 'application/json' } });
    } catch (error) {
      throw refused('its document could not be loaded', error);
    }
    if (response.status !== 200) throw refused(`its document was answered with ${response.status}`);
    if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(response.headers.get('content-type') ?? ''))
      throw refused('its document is not JSON');
    return response;
  }
}

async function read(clientId: string, text: string): Promise<KnownClient> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refused('its document is not JSON', error);
  }
  if (!isJsonObject(value)) throw refused('its document is no object');
  if (value['client_id'] !== clientId) throw refused('its document names another client_id');
  if (typeof value['client_name'] !== 'string') throw refused('its document has no client_name');
  if (value['client_secret'] !== undefined || String(value['token_endpoint_auth_method']).startsWith('client_secret_'))
    throw refused('a public document can hold no secret');
  try {
    return { ...(await readClientMetadata(value)), client_id: clientId, origin: 'document' };
  } catch (error) {
    throw refused(`its document is not valid: ${errorMessage(error)}`, error);
  }
}

/** Milliseconds for which HTTP allows a response to be reused. */
function maxAgeOf(headers: Headers): number {
  const control = (headers.get('cache-control') ?? '').toLowerCase();
  if (/\b(?:no-store|no-cache)\b/.test(control)) return 0;
  const [, seconds] = /\bmax-age=(\d{1,9})\b/.exec(control) ?? [];
  if (seconds !== undefined) return (Number(seconds) - Number(headers.get('age') ?? 0)) * 1000;
  const expires = Date.parse(headers.get('expires') ?? '');
  return Number.isNaN(expires) ? 300_000 : expires - Date.parse(headers.get('date') ?? new Date().toUTCString());
}

function refused(reason: string, cause?: unknown): OAuthFault {
  return new OAuthFault('invalid_client', `The client is unknown: ${reason}.`, { cause });
}
