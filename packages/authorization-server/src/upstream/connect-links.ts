import type { Store } from 'crosspoint/server';
import { randomText } from 'crosspoint/internal/auth-server';
import { asJson, sha256Base64Url } from 'crosspoint/internal';

/** The user that a link belongs to. */
export interface LinkOwner {
  readonly sub: string;
  readonly iss: string;
}

interface LinkRecord extends LinkOwner {
  readonly opened: boolean;
}

/** Waits for the page behind a link. */
export interface PageWatch {
  /** Resolves when the page is finished, after `waitMs`, or when the call ends. */
  done(signal: AbortSignal, waitMs: number): Promise<void>;
}

/** Links that one person can open once. A link contains only a random name and grants no access. */
export class ConnectLinks {
  readonly #id: string;
  readonly #store: Store;
  readonly #linkMs: number;

  constructor({ id, store, linkMs }: { id: string; store: Store; linkMs: number }) {
    this.#id = id;
    this.#store = store;
    this.#linkMs = linkMs;
  }

  async mint({ sub, iss }: LinkOwner): Promise<string> {
    const link = randomText();
    const record: LinkRecord = { sub, iss, opened: false };
    await this.#store.put(await this.#key(link), asJson(record), { ttlMs: this.#linkMs });
    return link;
  }

  /** The owner of a link; `undefined` when it is unknown, expired or already opened. */
  async ownerOf(link: string): Promise<LinkOwner | undefined> {
    const record = (await this.#store.get(await this.#key(link)))?.value as LinkRecord | undefined;
    return record === undefined || record.opened ? undefined : { sub: record.sub, iss: record.iss };
  }

  /** True for the first caller. */
  async open(link: string): Promise<boolean> {
    const key = await this.#key(link);
    const found = await this.#store.get(key);
    const record = found?.value as LinkRecord | undefined;
    if (found === undefined || record === undefined || record.opened) return false;
    const opened = asJson({ ...record, opened: true });
    return (await this.#store.put(key, opened, { ifVersion: found.version, ttlMs: this.#linkMs })) !== undefined;
  }

  /** Reports the page as finished, to watchers on every node. */
  async finish(link: string): Promise<void> {
    await this.#store.publish(await this.#channel(link), true);
  }

  /** Calls `tell` once when the page is finished, while the link is valid. */
  async watch(link: string, tell: () => void): Promise<PageWatch> {
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let isOver = false;
    const end = await this.#store.subscribe(await this.#channel(link), () => {
      if (isOver) return;
      stop();
      tell();
      finish();
    });
    const timer = setTimeout(() => stop(), this.#linkMs);
    (timer as { unref?: () => void }).unref?.();
    function stop(): void {
      isOver = true;
      clearTimeout(timer);
      end().catch(() => {});
    }
    return { done: (signal, waitMs) => firstOf(finished, signal, waitMs) };
  }

  async #key(link: string): Promise<string> {
    return `third-party:${this.#id}:link:${await sha256Base64Url(link)}`;
  }

  async #channel(link: string): Promise<string> {
    return `third-party:${this.#id}:done:${await sha256Base64Url(link)}`;
  }
}

async function firstOf(finished: Promise<void>, signal: AbortSignal, waitMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([finished, over]);
  clearTimeout(timer);
}
