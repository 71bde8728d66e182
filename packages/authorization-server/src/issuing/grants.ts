import type { Json, Store } from 'crosspoint/server';
import { isSameSecret, OAuthFault, randomText } from 'crosspoint/internal/auth-server';
import { sha256Base64Url } from 'crosspoint/internal';

/** An approval, by a person or by a client on its own behalf. */
export interface Grant {
  readonly id: string;
  readonly clientId: string;
  /** The user; absent where a client acts for itself. */
  readonly sub?: string;
  readonly name?: string;
  readonly scopes: readonly string[];
  /** The only server that its tokens are valid for. */
  readonly resource: string;
  /** Encrypted upstream tokens of the login. */
  readonly upstream?: string;
}

export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer' | 'DPoP';
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
}

export interface Lifetimes {
  readonly codeSeconds: number;
  readonly accessSeconds: number;
  readonly refreshSeconds: number;
}

interface CodeRecord {
  readonly grant: Grant;
  readonly challenge: string;
  readonly redirectUri: string;
  readonly used: boolean;
}

export interface AccessRecord {
  readonly grantId: string;
  readonly scopes: readonly string[];
  /** Seconds since the epoch. */
  readonly expiresAt: number;
  readonly jkt?: string;
}

interface RefreshRecord {
  readonly grantId: string;
  readonly used: boolean;
  readonly jkt?: string;
}

const PREFIX = 'oauth:';
const toJson = (value: object): Json => value as Json;

/** Codes, tokens and their grants. Stored under digests, so that a reader of the store finds nothing usable. */
export class Grants {
  readonly #store: Store;
  readonly #lifetimes: Lifetimes;
  readonly #now: () => number;
  readonly #ended: (grant: Grant) => Promise<void>;

  constructor(store: Store, lifetimes: Lifetimes, now: () => number, ended: (grant: Grant) => Promise<void>) {
    this.#store = store;
    this.#lifetimes = lifetimes;
    this.#now = now;
    this.#ended = ended;
  }

  async issueCode(grant: Omit<Grant, 'id'>, bound: { challenge: string; redirectUri: string }): Promise<string> {
    const code = randomText();
    const record: CodeRecord = { grant: { ...grant, id: randomText() }, ...bound, used: false };
    await this.#store.put(await keyOf('code', code), toJson(record), { ttlMs: this.#lifetimes.codeSeconds * 1000 });
    return code;
  }

  /** Redeems an authorization code. A code works once; presenting it again revokes every token issued for it. */
  async redeemCode(
    code: string,
    shown: { clientId: string; redirectUri: string | undefined; verifier: string; resource: string | undefined },
  ): Promise<Grant> {
    const key = await keyOf('code', code);
    const found = await this.#store.get(key);
    const record = found?.value as CodeRecord | undefined;
    if (found === undefined || record === undefined || record.grant.clientId !== shown.clientId)
      throw new OAuthFault('invalid_grant', 'The code has expired, or was never issued to this client.');
    const { grant } = record;
    if (record.used) return this.#refuseReplay(grant.id, 'The code was used before. Its tokens are revoked.');
    if (shown.redirectUri !== undefined && shown.redirectUri !== record.redirectUri)
      throw new OAuthFault('invalid_grant', 'The redirect_uri is not the one that the code was sent to.');
    if (!(await isSameSecret(await sha256Base64Url(shown.verifier), record.challenge)))
      throw new OAuthFault('invalid_grant', 'The code_verifier does not fit the code_challenge.');
    if (shown.resource !== undefined && shown.resource !== grant.resource)
      throw new OAuthFault('invalid_target', 'The code was issued for another resource.');
    // The used code is remembered as long as the tokens issued for it may live.
    const ttlMs = this.#lifetimes.refreshSeconds * 1000;
    const isFirst = await this.#store.put(key, toJson({ ...record, used: true }), { ifVersion: found.version, ttlMs });
    if (isFirst === undefined) return this.#refuseReplay(grant.id, 'The code was used before. Its tokens are revoked.');
    await this.keep(grant);
    return grant;
  }

  async keep(grant: Grant): Promise<void> {
    await this.#store.put(grantKey(grant.id), toJson(grant), { ttlMs: this.#lifetimes.refreshSeconds * 1000 });
  }

  /** Stores a grant for the lifetime of one access token, and issues that token without a refresh token. */
  async issueOnce(grant: Grant, jkt: string | undefined): Promise<TokenAnswer> {
    await this.#store.put(grantKey(grant.id), toJson(grant), { ttlMs: this.#lifetimes.accessSeconds * 1000 });
    return this.issueTokens(grant, { jkt, refreshable: false });
  }

  async get(id: string): Promise<Grant | undefined> {
    return (await this.#store.get(grantKey(id)))?.value as Grant | undefined;
  }

  /** Issues tokens for a stored grant. */
  async issueTokens(
    grant: Grant,
    {
      jkt,
      refreshable,
      scopes = grant.scopes,
    }: { jkt: string | undefined; refreshable: boolean; scopes?: readonly string[] },
  ): Promise<TokenAnswer> {
    const { accessSeconds, refreshSeconds } = this.#lifetimes;
    const access = randomText();
    const bound = jkt === undefined ? {} : { jkt };
    const expiresAt = Math.floor(this.#now() / 1000) + accessSeconds;
    const record: AccessRecord = { grantId: grant.id, scopes, expiresAt, ...bound };
    await this.#store.put(await keyOf('access', access), toJson(record), { ttlMs: accessSeconds * 1000 });
    const answer: TokenAnswer = {
      access_token: access,
      token_type: jkt === undefined ? 'Bearer' : 'DPoP',
      expires_in: accessSeconds,
      scope: scopes.join(' '),
    };
    if (!refreshable) return answer;
    const refresh = randomText();
    const kept: RefreshRecord = { grantId: grant.id, used: false, ...bound };
    await this.#store.put(await keyOf('refresh', refresh), toJson(kept), { ttlMs: refreshSeconds * 1000 });
    return { ...answer, refresh_token: refresh };
  }

  /**
   * Redeems a refresh token. It works once; presenting it again means theft and ends the grant. `check` may refuse the request before the
   * token is used up.
   */
  async redeemRefresh(
    token: string,
    shown: { clientId: string; jkt: string | undefined },
    check: (grant: Grant) => void,
  ): Promise<Grant> {
    const key = await keyOf('refresh', token);
    const found = await this.#store.get(key);
    const record = found?.value as RefreshRecord | undefined;
    const grant = record && (await this.get(record.grantId));
    if (found === undefined || record === undefined || grant === undefined || grant.clientId !== shown.clientId)
      throw new OAuthFault(
        'invalid_grant',
        'The refresh token has expired, was revoked, or belongs to another client.',
      );
    if (record.jkt !== undefined && record.jkt !== shown.jkt)
      throw new OAuthFault('invalid_grant', 'The refresh token is bound to another key.');
    const reused = 'The refresh token was used before. All tokens of this login are revoked: log in again.';
    if (record.used) return this.#refuseReplay(grant.id, reused);
    check(grant);
    const ttlMs = this.#lifetimes.refreshSeconds * 1000;
    const isFirst = await this.#store.put(key, toJson({ ...record, used: true }), { ifVersion: found.version, ttlMs });
    if (isFirst === undefined) return this.#refuseReplay(grant.id, reused);
    await this.#store.touch(grantKey(grant.id), ttlMs);
    return grant;
  }

  /** The grant of an access token; `undefined` when the token has expired, was revoked or is unknown. */
  async find(token: string): Promise<{ grant: Grant; access: AccessRecord } | undefined> {
    const access = (await this.#store.get(await keyOf('access', token)))?.value as AccessRecord | undefined;
    if (access === undefined || access.expiresAt * 1000 <= this.#now()) return undefined;
    const grant = await this.get(access.grantId);
    return grant && { grant, access };
  }

  /** Revokes a refresh token with its whole grant, or an access token alone. Ignores tokens of other clients. */
  async revoke(token: string, clientId: string): Promise<void> {
    const accessKey = await keyOf('access', token);
    const access = (await this.#store.get(accessKey))?.value as AccessRecord | undefined;
    const refresh = (await this.#store.get(await keyOf('refresh', token)))?.value as RefreshRecord | undefined;
    const grant = await this.get(access?.grantId ?? refresh?.grantId ?? '');
    if (grant?.clientId !== clientId) return;
    if (refresh) await this.end(grant.id);
    else await this.#store.delete(accessKey);
  }

  async end(id: string): Promise<void> {
    const grant = await this.get(id);
    await this.#store.delete(grantKey(id));
    if (grant) await this.#ended(grant);
  }

  async #refuseReplay(grantId: string, message: string): Promise<never> {
    await this.end(grantId);
    throw new OAuthFault('invalid_grant', message);
  }
}

async function keyOf(kind: 'code' | 'access' | 'refresh', secret: string): Promise<string> {
  return `${PREFIX}${kind}:${await sha256Base64Url(secret)}`;
}

function grantKey(id: string): string {
  return `${PREFIX}grant:${id}`;
}
