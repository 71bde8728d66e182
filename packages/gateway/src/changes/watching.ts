import { isProtocolError, type WatchedChange, type WatchHandle } from 'crosspoint/client';
import type { Slot } from '../upstream/upstream-sessions.ts';

/** Lists and resources whose changes are wanted. */
export interface Wanted {
  readonly tools?: boolean;
  readonly prompts?: boolean;
  readonly resources?: boolean;
  readonly uris?: readonly string[];
}

export interface WatchingSetup {
  /** A session of the server to watch through. */
  acquire(): Promise<Slot>;
  onchange(change: WatchedChange): void;
  onproblem(problem: Error): void;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

/**
 * The changes that one session or stream downstream wants to hear of: one watch at the server, which is replaced when the wish changes, and opened again when the
 * connection to the server was lost.
 */
export class Watching {
  readonly #setup: WatchingSetup;
  #open: { readonly handle: WatchHandle; readonly slot: Slot } | undefined;
  #wanted: Wanted = {};
  #work: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(setup: WatchingSetup) {
    this.#setup = setup;
  }

  /**
   * Watches these from now on, and resolves with those of them that the server reports. The old watch ends when the new one has begun, and stays where the server
   * refuses the new one. `wish` gets the wish of that moment; the same one as its result changes nothing.
   */
  want(wish: Wanted | ((now: Wanted) => Wanted)): Promise<Wanted> {
    return this.#next(() => {
      const wanted = typeof wish === 'function' ? wish(this.#wanted) : wish;
      return wanted === this.#wanted && this.#open ? Promise.resolve(this.#open.handle.honored) : this.#replace(wanted);
    });
  }

  /** As `want`, but leaves out addresses that the server refuses. Rejects where nothing is left. */
  wantPossible(wanted: Wanted): Promise<Wanted> {
    return this.#next(() => this.#replacePossible(wanted));
  }

  #next(work: () => Promise<Wanted>): Promise<Wanted> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => {});
    return done;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#work;
    await this.#end(this.#open);
    this.#open = undefined;
  }

  async #replace(wanted: Wanted): Promise<Wanted> {
    if (this.#isOver) return {};
    const before = this.#open;
    const slot = await this.#setup.acquire();
    try {
      // A server may report a change in the same breath as it agrees, before there is a handle.
      const begun: { handle?: WatchHandle } = {};
      const onchange = (change: WatchedChange): void => this.#changed(begun.handle, change);
      const handle = await slot.session.client.watch(wanted, { onchange });
      begun.handle = handle;
      this.#open = { handle, slot };
      this.#wanted = wanted;
      await this.#end(before);
      void handle.closed.then((how) => (how === 'lost' ? this.#restore(handle) : undefined));
      return handle.honored;
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  /** One address that is refused must not take the others away. */
  async #replacePossible(wanted: Wanted): Promise<Wanted> {
    const { uris = [], ...lists } = wanted;
    try {
      return await this.#replace(wanted);
    } catch (error) {
      if (!isProtocolError(error) || uris.length === 0) throw error;
      const hasLists = Object.values(lists).includes(true);
      if (hasLists) await this.#replace(lists);
      const possible = await this.#addPossible(lists, [], uris);
      if (possible.length === 0 && !hasLists) throw error;
      return this.#open?.handle.honored ?? {};
    }
  }

  /** Adds those of the addresses that the server takes, found by halves: many addresses of which one is refused take few attempts. */
  async #addPossible(lists: Wanted, watched: readonly string[], uris: readonly string[]): Promise<readonly string[]> {
    const all = [...watched, ...uris];
    try {
      await this.#replace({ ...lists, uris: all });
      return all;
    } catch (refusal) {
      if (!isProtocolError(refusal)) throw refusal;
      if (uris.length > 1) {
        const half = Math.ceil(uris.length / 2);
        const first = await this.#addPossible(lists, watched, uris.slice(0, half));
        return this.#addPossible(lists, first, uris.slice(half));
      }
      this.#setup.onproblem(refusal);
      return watched;
    }
  }

  #changed(from: WatchHandle | undefined, change: WatchedChange): void {
    if (!this.#isOver && (this.#open === undefined || from === this.#open.handle)) this.#setup.onchange(change);
  }

  /** After a loss everything may have changed. */
  async #restore(lost: WatchHandle): Promise<void> {
    for (
      let pause = FIRST_PAUSE_MS;
      !this.#isOver && this.#open?.handle === lost;
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    ) {
      await new Promise<void>((resolve) => setTimeout(resolve, pause).unref());
      try {
        if (!this.#isOver && this.#open?.handle === lost) await this.#next(() => this.#replacePossible(this.#wanted));
      } catch (error) {
        this.#setup.onproblem(error as Error);
        continue;
      }
      this.#tellAll();
      return;
    }
  }

  #tellAll(): void {
    const { uris = [], ...lists } = this.#wanted;
    for (const kind of ['tools', 'prompts', 'resources'] as const)
      if (lists[kind] === true) this.#setup.onchange({ kind });
    for (const uri of uris) this.#setup.onchange({ kind: 'resource', uri });
  }

  async #end(open: { readonly handle: WatchHandle; readonly slot: Slot } | undefined): Promise<void> {
    if (open === undefined) return;
    await open.handle.close().catch((error: Error) => this.#setup.onproblem(error));
    open.slot.release();
  }
}
