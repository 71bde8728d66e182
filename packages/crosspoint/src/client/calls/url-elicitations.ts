import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { pause, type Clock } from '../../peer/clock.ts';
import type { ElicitUrlParams } from '../../protocol/elicitation/elicitation.ts';
import { isProtocolError } from '../../protocol/errors.ts';

const MAX_KNOWN = 1000;
/** How long a user may take on a page before the call that needs it fails. */
const PAGE_TIMEOUT_MS = 300_000;

interface Page {
  done: boolean;
  readonly waiting: Set<() => void>;
}

/** Pages that a user was sent to, by the id under which the server reports them finished. */
export class UrlElicitations {
  readonly #pages = new Map<string, Page>();
  readonly #clock: Clock;
  readonly #oncomplete: (elicitationId: string) => void;

  constructor(clock: Clock, oncomplete: (elicitationId: string) => void) {
    this.#clock = clock;
    this.#oncomplete = oncomplete;
  }

  /** Remembers a page that the server may report as finished. */
  expect(params: JsonObject): void {
    const id = params['elicitationId'];
    if (params['mode'] !== 'url' || typeof id !== 'string' || this.#pages.has(id)) return;
    const oldest = this.#pages.size >= MAX_KNOWN ? this.#pages.keys().next() : undefined;
    if (oldest?.done === false) this.#pages.delete(oldest.value);
    this.#pages.set(id, { done: false, waiting: new Set() });
  }

  /** Marks the page as finished. Unknown and already finished ids are ignored. */
  onnotification(method: string, params: JsonObject | undefined): void {
    const id = method === 'notifications/elicitation/complete' ? params?.['elicitationId'] : undefined;
    const page = typeof id === 'string' ? this.#pages.get(id) : undefined;
    if (typeof id !== 'string' || page === undefined || page.done) return;
    page.done = true;
    for (const go of page.waiting) go();
    page.waiting.clear();
    this.#oncomplete(id);
  }

  /** Resolves to whether the server reported the page finished within `PAGE_TIMEOUT_MS` and before the signal aborted. */
  async whenDone(id: string, signal: AbortSignal | undefined): Promise<boolean> {
    const page = this.#pages.get(id);
    if (page === undefined) return false;
    if (page.done) return true;
    const stop = new AbortController();
    const go = (): void => stop.abort();
    page.waiting.add(go);
    signal?.addEventListener('abort', go, { once: true });
    await pause(PAGE_TIMEOUT_MS, this.#clock, stop.signal);
    page.waiting.delete(go);
    signal?.removeEventListener('abort', go);
    return page.done;
  }

  clear(): void {
    for (const { waiting } of this.#pages.values()) for (const go of waiting) go();
    this.#pages.clear();
  }
}

/** The pages that an error of the kind `url-elicitation-required` names; `undefined` for any other error. */
export function requiredPages(error: unknown): readonly (ElicitUrlParams & { elicitationId: string })[] | undefined {
  if (!isProtocolError(error) || error.kind !== 'url-elicitation-required' || !isJsonObject(error.data))
    return undefined;
  const { elicitations } = error.data;
  const valid =
    Array.isArray(elicitations) &&
    elicitations.length > 0 &&
    elicitations.every(
      (params) =>
        isJsonObject(params) &&
        params['mode'] === 'url' &&
        typeof params['url'] === 'string' &&
        typeof params['elicitationId'] === 'string',
    );
  return valid ? (elicitations as (ElicitUrlParams & { elicitationId: string })[]) : undefined;
}
