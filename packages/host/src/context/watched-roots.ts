import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Root } from 'crosspoint/client';
import { attempt } from '../values/guard.ts';

/**
 * Folders that a server may ask for: those of them that can be read at the moment. They are looked at every few seconds, and a change is told.
 *
 * ```ts
 * const roots = new WatchedRoots([{ uri: 'file:///home/ada/project' }], { onchange: () => answered.rootsChanged() });
 * const answered = answerQuestions(client, { server: 'files', asks: inbox, roots: () => roots.list() });
 * ```
 * @deprecated Roots are deprecated by SEP-2577; the earliest revision without them is the first on or after 2027-07-28.
 */
export class WatchedRoots {
  readonly #onchange: () => void | Promise<void>;
  readonly #onproblem: (problem: Error) => void;
  readonly #timer: NodeJS.Timeout;
  #roots: readonly Root[];
  /** The URIs that could be read when they were last looked at; `undefined` before that. */
  #seen: string | undefined;
  #looks = 0;
  #turn: Promise<void> = Promise.resolve();

  /** `onchange` is called when a folder can no longer be read, can be read again, or the folders were replaced. */
  constructor(
    roots: readonly Root[],
    options: {
      readonly onchange: () => void | Promise<void>;
      readonly onproblem?: (problem: Error) => void;
      /** Milliseconds between two looks; 5 seconds when absent. */
      readonly intervalMs?: number;
    },
  ) {
    this.#roots = [...roots];
    this.#onchange = options.onchange;
    this.#onproblem = options.onproblem ?? (() => {});
    this.#timer = setInterval(() => void (this.#looks === 0 && this.#look()), options.intervalMs ?? 5000);
    this.#timer.unref();
    void this.#look();
  }

  /** The folders that can be read now. */
  async list(): Promise<readonly Root[]> {
    const roots = this.#roots;
    const isReadable = await Promise.all(roots.map(({ uri }) => canRead(uri)));
    return roots.filter((_, index) => isReadable[index] === true);
  }

  /** Replaces the folders. */
  async set(roots: readonly Root[]): Promise<void> {
    this.#roots = [...roots];
    await this.#look();
  }

  /** Stops looking. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Looks after every look that has begun, so that what was seen last is the latest. */
  #look(): Promise<void> {
    this.#looks += 1;
    this.#turn = this.#turn.then(() => this.#compare()).finally(() => (this.#looks -= 1));
    return this.#turn;
  }

  async #compare(): Promise<void> {
    const now = JSON.stringify(await this.list());
    const before = this.#seen;
    this.#seen = now;
    if (before === undefined || before === now) return;
    try {
      await this.#onchange();
    } catch (error) {
      const told = new Error('A server could not be told that its roots have changed.', { cause: error });
      attempt(() => this.#onproblem(told));
    }
  }
}

async function canRead(uri: string): Promise<boolean> {
  try {
    await access(fileURLToPath(uri), constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
