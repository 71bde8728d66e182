import type { Json as StoreJson, Store } from 'crosspoint/stores';
import {
  type AuditAnchor,
  BEGINNING,
  type Draft,
  type Head,
  chained,
  readEntry,
  readHead,
  sealedHead,
} from './entry.ts';
import type { AuditEntry } from './event.ts';
import type { Seal } from './seal.ts';

/** The place of a log in the store: a head record, and one record for each entry under its number. */
export interface ChainPlace {
  readonly store: Store;
  readonly name: string;
}

export function headKey({ name }: ChainPlace): string {
  return `${name}:head`;
}

export function entryKey({ name }: ChainPlace, sequence: number): string {
  return `${name}:entry:${String(sequence).padStart(12, '0')}`;
}

const TRIES = 1000;
/** Tries after which a writer waits a little: others are writing, too. */
const EAGER_TRIES = 3;

interface KnownHead extends AuditAnchor {
  /** `null`: there is no head record yet. */
  readonly version: string | null;
  readonly hasPending: boolean;
}

/**
 * Writes entries to the store, beside other processes that do the same. The head record is swapped first and holds the new entries; then each entry
 * is written under its number. So there is one chain, a writer that ends halfway has lost nothing that the head knows, and writing an entry twice
 * changes nothing.
 */
export class AuditChain {
  readonly #place: ChainPlace;
  readonly #seal: Seal;
  readonly #onproblem: (text: string) => void;
  #head: KnownHead | undefined;
  /** The end of the log as this process last wrote or saw it. */
  #seen: AuditAnchor | undefined;
  /** The first entry of each try at the current drafts that may have been written, or may still be: the store failed meanwhile. */
  readonly #unsure: AuditAnchor[] = [];

  /** `onproblem` is told of traces of tampering. */
  constructor(place: ChainPlace, seal: Seal, onproblem: (text: string) => void) {
    this.#place = place;
    this.#seal = seal;
    this.#onproblem = onproblem;
  }

  /** Writes drafts behind the end. After a failure it must be called again with the same ones, which are then written once. */
  async append(drafts: readonly Draft[]): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      if (tries >= EAGER_TRIES) await pause(Math.random() * 4 * Math.min(tries, 20));
      const end = this.#head ?? (await this.#load());
      if (await this.#isWritten()) return this.#written();
      const entries = chained(end, drafts, this.#seal);
      const head = sealedHead(entries[entries.length - 1] ?? end, entries, this.#seal);
      this.#head = undefined;
      this.#unsure.push(entries[0] ?? end);
      const version = await this.#putHead(head, end.version);
      if (version === undefined) {
        this.#unsure.pop();
        continue;
      }
      await this.#write(entries);
      this.#know({ sequence: head.sequence, hash: head.hash, version, hasPending: true });
      return this.#written();
    }
    throw new Error(`The audit log ${this.#place.name} could not be written: others write it all the time.`);
  }

  /** Takes the entries out of the head, once they are all written: from then on a missing one is missed. */
  async settle(): Promise<void> {
    const head = this.#head;
    if (head === undefined || !head.hasPending) return;
    this.#head = undefined;
    const version = await this.#putHead(sealedHead(head, [], this.#seal), head.version);
    if (version !== undefined) this.#know({ ...head, version, hasPending: false });
  }

  /** Reads the head, finishes the work of a writer that ended halfway, and finds the end of a log whose head was set back. */
  async #load(): Promise<KnownHead> {
    const { store } = this.#place;
    for (let tries = 0; tries < TRIES; tries++) {
      const record = await store.get(headKey(this.#place));
      const head = readHead(record?.value) ?? { sequence: 0, hash: BEGINNING, pending: [] };
      await this.#write(head.pending);
      const next = await store.get(entryKey(this.#place, head.sequence + 1));
      const version = record?.version ?? null;
      if (next === undefined) return this.#checked({ ...head, version, hasPending: head.pending.length > 0 });
      // An entry behind the end: another process has gone on meanwhile, or the head was set back.
      if (((await store.get(headKey(this.#place)))?.version ?? null) !== version) continue;
      const end = await this.#lastFrom(head.sequence + 1);
      this.#onproblem(
        `The head of the log was set back: it named entry ${head.sequence}, and there are ${end.sequence}.`,
      );
      return this.#checked({ ...end, version, hasPending: false });
    }
    throw new Error(`The audit log ${this.#place.name} could not be read: others write it all the time.`);
  }

  /** Compares the end with the one that this process has seen before. */
  async #checked(head: KnownHead): Promise<KnownHead> {
    const seen = this.#seen;
    if (seen !== undefined && seen.sequence > 0) {
      const entry = readEntry((await this.#place.store.get(entryKey(this.#place, seen.sequence)))?.value);
      if (head.sequence < seen.sequence || entry?.hash !== seen.hash)
        this.#onproblem(
          `Entry ${seen.sequence} was removed or changed after it was written. Its hash was ${seen.hash}.`,
        );
    }
    return this.#know(head);
  }

  #know(head: KnownHead): KnownHead {
    this.#head = head;
    this.#seen = { sequence: head.sequence, hash: head.hash };
    return head;
  }

  async #putHead(head: Head, version: string | null): Promise<string | undefined> {
    return this.#place.store.put(headKey(this.#place), asJson(head), { ifVersion: version });
  }

  async #write(entries: readonly AuditEntry[]): Promise<void> {
    await Promise.all(entries.map((entry) => this.#writeOne(entry)));
  }

  async #writeOne(entry: AuditEntry): Promise<void> {
    const { store } = this.#place;
    const key = entryKey(this.#place, entry.sequence);
    if ((await store.put(key, asJson(entry), { ifVersion: null })) !== undefined) return;
    const found = readEntry((await store.get(key))?.value);
    if (found?.hash === entry.hash) return;
    this.#onproblem(`Entry ${entry.sequence} stood in the log before it was written, with other content.`);
    await store.put(key, asJson(entry));
  }

  async #isWritten(): Promise<boolean> {
    for (const { sequence, hash } of this.#unsure) {
      const found = await this.#place.store.get(entryKey(this.#place, sequence));
      if (readEntry(found?.value)?.hash === hash) return true;
    }
    return false;
  }

  #written(): void {
    this.#unsure.length = 0;
  }

  /** The last of the entries without a gap from a number on, which is there: found in steps that double. */
  async #lastFrom(first: number): Promise<AuditAnchor> {
    const at = async (sequence: number): Promise<StoreJson | undefined> =>
      (await this.#place.store.get(entryKey(this.#place, sequence)))?.value;
    let low = first;
    let high = first + 1;
    for (let step = 1; (await at(high)) !== undefined; step *= 2) {
      low = high;
      high += step;
    }
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if ((await at(middle)) === undefined) high = middle;
      else low = middle;
    }
    return { sequence: low, hash: readEntry(await at(low))?.hash ?? '' };
  }
}

function asJson(value: Head | AuditEntry): StoreJson {
  return value as unknown as StoreJson;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
