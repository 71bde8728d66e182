import { asError } from '../../../runtime/guard.ts';
import { LogFollower } from '../../../stores/log-follower.ts';
import type { Json, LogEntry, Store } from '../../../stores/store.ts';
import type { Listener } from '../../changes/change-notices.ts';
import type { Change } from '../../changes/listening.ts';

const LOG = 'changes';
const KEPT = { ttlMs: 86_400_000, maxEntries: 10_000 };
/** So many changes wait at most for a store that is away. */
const MAX_WAITING = 10_000;

interface Kept {
  readonly by: string;
  readonly change?: Change;
}

export interface ChangeFeedOptions {
  readonly store: Store;
  readonly node: string;
  /** Every change of every node, in the same order everywhere. */
  readonly onchange: (change: Change, isOwn: boolean) => void;
  readonly onproblem: (error: Error) => void;
}

/** Tells the other nodes what changed here, and hears what changed there. A change waits for a store that is away; it may merge with its like. */
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

  /** The change that was heard last. */
  get position(): string | undefined {
    return this.#follower.position;
  }

  /** Begins with what changes from now on. */
  async start(): Promise<void> {
    const { store, node } = this.#options;
    const hello = { by: node };
    await this.#follower.start(await store.append(LOG, hello, KEPT));
  }

  tell(change: Change): void {
    if (change.kind === 'extension' && change.isLocal) return;
    if (this.#waiting.size >= MAX_WAITING && change.kind === 'extension') return;
    this.#waiting.set(keyOf(change) ?? `#${(this.#told += 1)}`, change);
    this.look();
  }

  /** Sends what waits, and looks for what others have sent. */
  look(): void {
    this.#follower.wake();
    if (!this.#isTelling && this.#waiting.size > 0) void this.#tellAll();
  }

  /** What changed behind one position, up to another that was heard here. Nothing when that one does not follow. */
  async between(after: string, upTo: string): Promise<readonly Change[]> {
    const entries = await this.#options.store.read(LOG, { after });
    const end = entries.findIndex(({ position }) => position === upTo);
    const found = new Map<string, Change>();
    for (const { position, value } of entries.slice(0, end + 1)) {
      const { change } = value as object as Kept;
      if (change) found.set(keyOf(change) ?? position, change);
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
        await store.append(LOG, kept as object as Json, KEPT);
        // One that changed again meanwhile is told again.
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

/** What need only be said once; each message of an extension stands for itself. */
function keyOf(change: Change): string | undefined {
  if (change.kind === 'extension') return undefined;
  return change.kind === 'resource' ? `resource:${change.uri}` : change.kind;
}
