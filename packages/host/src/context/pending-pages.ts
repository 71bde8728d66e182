import type { CallInFlight } from './calls-in-flight.ts';

/** A page of a server that the user agreed to open, and that the server has not reported as finished. */
export interface PendingPage {
  readonly id: string;
  readonly server: string;
  readonly url: string;
  /** The call that the page belongs to, where it is known. */
  readonly call?: CallInFlight;
  /** When it was opened first, in milliseconds since 1970. */
  readonly openedAt: number;
}

const MOST = 100;

/**
 * The pages that are open in the user's browser. Many servers never say that a page is finished, so it also ends with its call and with its
 * server, and the oldest one ends where there are more than a hundred.
 */
export class PendingPages {
  readonly #pages = new Map<string, { readonly page: PendingPage; readonly elicitationId: string | undefined }>();
  readonly #onchange: (page: PendingPage, isOver: boolean) => void;

  constructor(onchange: (page: PendingPage, isOver: boolean) => void) {
    this.#onchange = onchange;
  }

  list(): readonly PendingPage[] {
    return [...this.#pages.values()].map(({ page }) => page);
  }

  get(id: string): PendingPage | undefined {
    return this.#pages.get(id)?.page;
  }

  add(page: PendingPage, elicitationId: string | undefined): void {
    const [oldest] = this.#pages.values();
    if (this.#pages.size >= MOST && oldest !== undefined) this.#end(({ page: { id } }) => id === oldest.page.id);
    this.#pages.set(page.id, { page, elicitationId });
    this.#onchange(page, false);
  }

  /** The server reports a page as finished. */
  finished(server: string, elicitationId: string): void {
    this.#end((kept) => kept.page.server === server && kept.elicitationId === elicitationId);
  }

  callEnded(id: string): void {
    this.#end(({ page }) => page.call?.id === id);
  }

  forget(server: string): void {
    this.#end(({ page }) => page.server === server);
  }

  #end(isMeant: (kept: { readonly page: PendingPage; readonly elicitationId: string | undefined }) => boolean): void {
    for (const kept of Array.from(this.#pages.values())) {
      if (!isMeant(kept)) continue;
      this.#pages.delete(kept.page.id);
      this.#onchange(kept.page, true);
    }
  }
}
