import { RateLimit, type Rate } from '../../peer/rate-limit.ts';
import type { Prompt } from '../../protocol/prompts.ts';
import type { Resource } from '../../protocol/resources.ts';
import type { Tool } from '../../protocol/tools.ts';
import { asError } from '../../runtime/guard.ts';
import { changedList, type ListKind } from '../../protocol/listing.ts';
import type { Engine } from '../engine.ts';

export type ListChangedCallback<Item> = (error: Error | null, items: Item[] | null) => void;

export interface ListChangedOptions<Item> {
  /** Called with the new items, or with the error from fetching them. Both are `null` when `autoRefresh` is `false`. */
  onChanged: ListChangedCallback<Item>;
  /** Fetch the list after a change; `true` when absent. */
  autoRefresh?: boolean;
  /**
   * Milliseconds to wait for further changes, which count as one; 300 when absent. The wait ends after ten times that, and a list that
   * keeps changing is fetched every two seconds.
   */
  debounceMs?: number;
}

export interface ListChangedHandlers {
  tools?: ListChangedOptions<Tool>;
  prompts?: ListChangedOptions<Prompt>;
  resources?: ListChangedOptions<Resource>;
}

/** The longest wait for the end of a burst of changes, as a multiple of `debounceMs`. */
const LONGEST_WAIT = 10;

/** How often one list is fetched: ten times in a row, then once every two seconds. */
const FETCHING: Rate = { perSecond: 0.5, burst: 10 };

/** Fetches lists after change notifications: one fetch for many changes, and never two fetches of a list at once. */
export class ListRefresher {
  readonly #handlers: ListChangedHandlers;
  readonly #engine: Engine;
  readonly #timers = new Map<ListKind, unknown>();
  /** Time of the first change that still waits to be fetched. */
  readonly #since = new Map<ListKind, number>();
  readonly #fetching = new Set<ListKind>();
  readonly #again = new Set<ListKind>();
  readonly #paces = new Map<ListKind, RateLimit>();

  constructor(handlers: ListChangedHandlers, engine: Engine) {
    this.#handlers = handlers;
    this.#engine = engine;
  }

  get kinds(): readonly ListKind[] {
    return Object.entries(this.#handlers).flatMap(([kind, handler]) =>
      handler === undefined ? [] : [kind as ListKind],
    );
  }

  onnotification(method: string): void {
    const kind = changedList(method);
    if (kind !== undefined) this.schedule(kind);
  }

  schedule(kind: ListKind): void {
    const handler = this.#handlers[kind];
    if (handler === undefined) return;
    const { clock } = this.#engine;
    const { debounceMs = 300 } = handler;
    const now = clock.now();
    const since = this.#since.get(kind) ?? now;
    const waitMs = Math.max(this.#pace(kind).waitMs, Math.min(debounceMs, since + debounceMs * LONGEST_WAIT - now));
    this.#since.set(kind, since);
    clock.clearTimeout(this.#timers.get(kind));
    this.#timers.set(
      kind,
      clock.setTimeout(() => void this.#fire(kind, handler as ListChangedOptions<unknown>), Math.max(0, waitMs)),
    );
  }

  #pace(kind: ListKind): RateLimit {
    const pace = this.#paces.get(kind) ?? new RateLimit(FETCHING, this.#engine.clock);
    this.#paces.set(kind, pace);
    return pace;
  }

  stop(): void {
    for (const timer of this.#timers.values()) this.#engine.clock.clearTimeout(timer);
    this.#timers.clear();
    this.#since.clear();
    this.#again.clear();
  }

  async #fire(kind: ListKind, handler: ListChangedOptions<unknown>): Promise<void> {
    this.#timers.delete(kind);
    this.#since.delete(kind);
    this.#pace(kind).take();
    if (handler.autoRefresh === false) return this.#tell(handler, null, null);
    if (this.#fetching.has(kind)) {
      this.#again.add(kind);
      return;
    }
    this.#fetching.add(kind);
    try {
      this.#tell(handler, null, await this.#engine.refresh(kind));
    } catch (error) {
      this.#tell(handler, asError(error), null);
    } finally {
      this.#fetching.delete(kind);
      if (this.#again.delete(kind)) this.schedule(kind);
    }
  }

  #tell(handler: ListChangedOptions<unknown>, error: Error | null, items: unknown[] | null): void {
    this.#engine.guard(() => handler.onChanged(error, items));
  }
}
