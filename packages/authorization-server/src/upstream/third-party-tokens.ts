import type { JsonObject } from 'crosspoint';
import type { Store } from 'crosspoint/server';
import { withStoreLock } from '../issuing/store-lock.ts';
import type { LinkOwner } from './connect-links.ts';
import type { KeyedSecret } from '../http/keyed-secret.ts';
import { UpstreamLoginGone, type UpstreamClient, type UpstreamTokens } from './upstream-client.ts';
import { sha256Base64Url } from 'crosspoint/internal';

const SKEW_MS = 10_000;

interface Parts {
  readonly id: string;
  readonly store: Store;
  readonly client: UpstreamClient;
  readonly secret: KeyedSecret;
  readonly now: () => number;
}

/** Encrypted third-party tokens of each user, under a digest of the user. */
export class ThirdPartyTokens {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async keep(owner: LinkOwner, tokens: UpstreamTokens): Promise<void> {
    const { store, secret } = this.#parts;
    await store.put(await this.#key(owner), await secret.seal(tokens as object as JsonObject));
  }

  async has(owner: LinkOwner): Promise<boolean> {
    return (await this.#read(owner)) !== undefined;
  }

  /** A valid token; `undefined` when there is none, or the login has ended. */
  async accessToken(owner: LinkOwner): Promise<string | undefined> {
    const tokens = await this.#read(owner);
    if (tokens === undefined || !this.#isDue(tokens)) return tokens?.accessToken;
    return (await this.#renew(owner))?.accessToken;
  }

  async forget(owner: LinkOwner): Promise<void> {
    const tokens = await this.#read(owner);
    await this.#parts.store.delete(await this.#key(owner));
    if (tokens) await this.#parts.client.revoke(tokens);
  }

  async #read(owner: LinkOwner): Promise<UpstreamTokens | undefined> {
    const { store, secret } = this.#parts;
    const sealed = (await store.get(await this.#key(owner)))?.value;
    const opened = typeof sealed === 'string' ? await secret.open(sealed) : undefined;
    return opened as object as UpstreamTokens | undefined;
  }

  #isDue({ expiresAt }: UpstreamTokens): boolean {
    return expiresAt !== undefined && expiresAt - SKEW_MS <= this.#parts.now();
  }

  async #renew(owner: LinkOwner): Promise<UpstreamTokens | undefined> {
    const { store, client } = this.#parts;
    const key = await this.#key(owner);
    return withStoreLock(store, key, async () => {
      const tokens = await this.#read(owner);
      if (tokens === undefined || !this.#isDue(tokens)) return tokens;
      try {
        const renewed = await client.refresh(tokens);
        await this.keep(owner, renewed);
        return renewed;
      } catch (error) {
        if (!(error instanceof UpstreamLoginGone)) throw error;
        await store.delete(key);
        return undefined;
      }
    });
  }

  async #key({ iss, sub }: LinkOwner): Promise<string> {
    return `third-party:${this.#parts.id}:tokens:${await sha256Base64Url(JSON.stringify([iss, sub]))}`;
  }
}
