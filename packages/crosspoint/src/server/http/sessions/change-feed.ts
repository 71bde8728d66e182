import { asError } from '../../../runtime/guard.ts';
import { LogFollower } from '../../../stores/log-follower.ts';
import { asJson, type LogEntry, type Store } from '../../../stores/store.ts';
import type { Listener } from '../../changes/change-notices.ts';
import type { Change } from '../../changes/listening.ts';

const LOG = 'changes';
const KEPT = { ttlMs: 86_400_000, maxEntries: 10_000 };
/** Most changes that wait while the store cannot be reached. */
const MAX_WAITING = 10_000;

interface Kept {
  readonly by: string;
  readonly change?: Change;
}

export interface ChangeFeedOptions {
  readonly store: Store;
  readonly node: string;
  /** Receives every change of every node, in the same order everywhere. */
  readonly onchange: (change: Change, isOwn: boolean) => void;
  readonly onproblem: (error: Error) => void;
}

/** Sends the changes of this node to the others, and receives theirs. A change waits while the store cannot be reached; equal ones are merged. */
export class ChangeFeed implements Listener {
  readonly #options: ChangeFeedOptions;
  readonly #follower: LogFollower;
  readonly #waiting = new Map<string, Change>();
  #isTelling = false;
  #told = 0;

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
    const { store, onproblem } = options;
    this.#follower = new LogFollower({
      store,
      log: LOG,
      channel: LOG,
      onentry: (entry) => this.#onentry(entry),
      onproblem,
    });
  }

  /** The position of the last change received. */
  get position(): string | undefined {
    return this.#follower.position;
  }

  /** Starts with changes from now on. */
  async start(): Promise<void> {
    const { store, node } = this.#options;
    const hello = { by: node };
    await this.#follower.start(await store.append(LOG, hello, KEPT));
  }

  tell(change: Change): void {
    if (change.kind === 'extension' && change.isLocal) return;
    if (this.#waiting.size >= MAX_WAITING && change.kind === 'extension') return;
    this.#waiting.set(mergeKey(change) ?? `#${(this.#told += 1)}`, change);
    this.look();
  }

  /** Sends the waiting changes, and reads those of other nodes. */
  look(): void {
    this.#follower.wake();
    if (!this.#isTelling && this.#waiting.size > 0) void this.#tellAll();
  }

  /** The changes after one position, up to another that was received here. None when the second does not follow the first. */
  async between(after: string, upTo: string): Promise<readonly Change[]> {
    const entries = await this.#options.store.read(LOG, { after });
    const end = entries.findIndex(({ position }) => position === upTo);
    const found = new Map<string, Change>();
    for (const { position, value } of entries.slice(0, end + 1)) {
      const { change } = value as object as Kept;
      if (change) found.set(mergeKey(change) ?? position, change);
    }
    return [...found.values()];
  }

  stop(): Promise<void> {
    return this.#follower.stop();
  }

  async #tellAll(): Promise<void> {
    const { store, node, onproblem } = this.#options;
    this.#isTelling = true;
    try {
      for (const [key, change] of this.#waiting) {
        const kept: Kept = { by: node, change };
        await store.append(LOG, asJson(kept), KEPT);
        // A change that was made again meanwhile is sent again.
        if (this.#waiting.get(key) === change) this.#waiting.delete(key);
        await store.publish(LOG, null);
      }
    } catch (error) {
      onproblem(asError(error));
    } finally {
      this.#isTelling = false;
    }
  }

  #onentry({ value }: LogEntry): void {
    const { by, change } = value as object as Kept;
    if (change) this.#options.onchange(change, by === this.#options.node);
  }
}

/** The key by which equal changes are merged; `undefined` for messages of extensions, which are all sent. */
function mergeKey(change: Change): string | undefined {
  return change.kind === 'extension' ? undefined : JSON.stringify(change);
}
