import type { JsonObject } from 'crosspoint';
import { asError } from 'crosspoint/internal';
import { withStoreLock } from '../issuing/store-lock.ts';
import type { Authority } from '../issuing/authority.ts';
import type { Grant } from '../issuing/grants.ts';
import { UpstreamLoginGone, type UpstreamClient, type UpstreamTokens } from './upstream-client.ts';

const SKEW_MS = 10_000;

/** Upstream tokens of each grant: refreshed in time, checked at intervals, and dropped when the upstream login ends. */
export class UpstreamGrants {
  readonly #authority: Authority;
  readonly #client: UpstreamClient;
  readonly #recheckMs: number;
  readonly #checkedAt = new Map<string, number>();
  readonly #renewing = new Map<string, Promise<UpstreamTokens | undefined>>();

  constructor(authority: Authority, client: UpstreamClient, recheckMs: number) {
    this.#authority = authority;
    this.#client = client;
    this.#recheckMs = recheckMs;
  }

  /** Valid tokens; `undefined` when the upstream login has ended. Rejects when that is unknown. */
  async tokens(grant: Grant): Promise<UpstreamTokens | undefined> {
    const tokens = await this.#open(grant);
    if (tokens === undefined) return undefined;
    const now = this.#authority.now();
    if (tokens.expiresAt !== undefined && tokens.expiresAt - SKEW_MS <= now) return this.#renew(grant);
    if ((this.#checkedAt.get(grant.id) ?? 0) + this.#recheckMs > now) return tokens;
    if ((await this.#client.isActive(tokens)) === false) return this.#renew(grant);
    this.#remember(grant.id, now);
    return tokens;
  }

  async forget(grant: Grant): Promise<void> {
    this.#checkedAt.delete(grant.id);
    const tokens = await this.#open(grant);
    try {
      if (tokens) await this.#client.revoke(tokens);
    } catch (error) {
      this.#authority.onproblem(asError(error));
    }
  }

  async #open({ upstream }: Grant): Promise<UpstreamTokens | undefined> {
    const opened = upstream === undefined ? undefined : await this.#authority.secret.open(upstream);
    return opened as object as UpstreamTokens | undefined;
  }

  /** One refresh at a time, in this process and on all nodes: using a refresh token twice may end the login. */
  #renew(grant: Grant): Promise<UpstreamTokens | undefined> {
    const running = this.#renewing.get(grant.id);
    if (running) return running;
    const renewing = this.#renewLocked(grant).finally(() => this.#renewing.delete(grant.id));
    this.#renewing.set(grant.id, renewing);
    return renewing;
  }

  async #renewLocked(grant: Grant): Promise<UpstreamTokens | undefined> {
    const { store, grants, secret, now } = this.#authority;
    return withStoreLock(store, `oauth:renewing:${grant.id}`, async () => {
      const current = await grants.get(grant.id);
      const tokens = current && (await this.#open(current));
      if (current === undefined || tokens === undefined) return undefined;
      if (current.upstream !== grant.upstream) return tokens;
      try {
        const renewed = await this.#client.refresh(tokens);
        await grants.keep({ ...current, upstream: await secret.seal(renewed as object as JsonObject) });
        this.#remember(grant.id, now());
        return renewed;
      } catch (error) {
        if (error instanceof UpstreamLoginGone) return undefined;
        throw error;
      }
    });
  }

  #remember(id: string, now: number): void {
    if (this.#checkedAt.size >= 10_000) this.#checkedAt.delete(this.#checkedAt.keys().next().value ?? '');
    this.#checkedAt.set(id, now);
  }
}
