import type { HttpRequest, PutOptions } from 'crosspoint/server';
import type { Authority } from '../issuing/authority.ts';
import { randomText } from 'crosspoint/internal/auth-server';
import { asJson, sha256Base64Url } from 'crosspoint/internal';

/** A browser, identified by a cookie that means nothing outside the store. */
export interface BrowserSession<T> {
  /** Digest of the cookie: identifies the session without giving access to it. */
  readonly id: string;
  readonly value: T;
}

type RecordOptions = Pick<PutOptions, 'ttlMs' | 'leftBy'>;

/**
 * Sessions of browsers. The cookie goes to this host only, never over plain http (except to a local server), never to scripts, and not with
 * requests from other sites.
 */
export class BrowserSessions<T extends object> {
  readonly #kind: string;
  readonly #ttlMs: number;

  constructor(kind: string, ttlMs: number) {
    this.#kind = kind;
    this.#ttlMs = ttlMs;
  }

  async find(request: HttpRequest, authority: Authority): Promise<BrowserSession<T> | undefined> {
    const cookie = readCookie(request, this.#nameFor(authority));
    if (cookie === undefined || !/^[\w-]{43}$/.test(cookie)) return undefined;
    const id = await sha256Base64Url(cookie);
    const record = await authority.store.get(this.#key(id));
    return record && { id, value: record.value as object as T };
  }

  /**
   * Starts a session; send `cookie` with the response. `kept` overrides the lifetime of the record and names the caller it is counted for.
   */
  async begin(
    value: T,
    authority: Authority,
    kept: RecordOptions = {},
  ): Promise<{ session: BrowserSession<T>; cookie: string }> {
    const secret = randomText();
    const id = await sha256Base64Url(secret);
    await authority.store.put(this.#key(id), asJson(value), { ttlMs: this.#ttlMs, ...kept });
    return { session: { id, value }, cookie: this.#write(secret, authority, Math.floor(this.#ttlMs / 1000)) };
  }

  async update(session: BrowserSession<T>, value: T, authority: Authority, kept: RecordOptions = {}): Promise<void> {
    await authority.store.put(this.#key(session.id), asJson(value), { ttlMs: this.#ttlMs, ...kept });
  }

  async end(session: BrowserSession<T> | undefined, authority: Authority): Promise<string> {
    if (session) await authority.store.delete(this.#key(session.id));
    return this.#write('', authority, 0);
  }

  #write(value: string, authority: Authority, maxAge: number): string {
    const secure = authority.isLocal ? '' : '; Secure';
    return `${this.#nameFor(authority)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
  }

  /** Cookies ignore ports, so two servers on one machine need two names. Browsers accept the `__Host-` prefix over https only. */
  #nameFor({ isLocal, base }: Authority): string {
    return isLocal ? `mcp-${this.#kind}-${new URL(base).port || '80'}` : `__Host-mcp-${this.#kind}`;
  }

  #key(id: string): string {
    return `oauth:${this.#kind}:${id}`;
  }
}

function readCookie(request: HttpRequest, name: string): string | undefined {
  for (const part of (request.header('cookie') ?? '').split(';')) {
    const [key = '', ...rest] = part.trim().split('=');
    if (key === name) return rest.join('=');
  }
  return undefined;
}

/** Whether a form was sent from a page of this server: browsers report its origin, and pages cannot forge it. */
export function isOwnForm(request: HttpRequest, { base }: Pick<Authority, 'base'>): boolean {
  const origin = request.header('origin');
  return origin === undefined ? request.header('sec-fetch-site') === 'same-origin' : origin === new URL(base).origin;
}
