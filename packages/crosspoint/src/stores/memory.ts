import { Channels } from './channels.ts';
import type {
  AddOptions,
  AppendOptions,
  Json,
  LogEntry,
  PutOptions,
  ReadOptions,
  Store,
  StoredRecord,
} from './store.ts';

export interface MemoryStoreOptions {
  /** The time now, in milliseconds. */
  readonly now?: () => number;
  /** How often what has expired is looked for, at most; what is read is always checked. */
  readonly sweepMs?: number;
  /** Whether several endpoints of this process use it as nodes of one service; false when absent. */
  readonly shared?: boolean;
}

interface Expiring {
  expiresAt: number;
}

interface MemoryRecord extends Expiring {
  text: string;
  version: string;
}

interface MemoryEntry {
  readonly position: number;
  readonly text: string;
}

interface MemoryLog extends Expiring {
  entries: MemoryEntry[];
  /** Entries before this one are dropped, and removed in lumps: taking them from the front one by one would cost the length of the log. */
  first: number;
  bytes: number;
}

const FOREVER = Number.POSITIVE_INFINITY;

/** Keeps everything in this process. Values are copied in and out as text, so that it behaves as the other stores do. */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options);
}

class MemoryStore implements Store {
  readonly isShared: boolean;
  readonly #records = new Map<string, MemoryRecord>();
  readonly #logs = new Map<string, MemoryLog>();
  readonly #channels = new Channels();
  readonly #now: () => number;
  readonly #sweepMs: number;
  #sweptAt: number;
  #version = 0;
  #position = 0;

  constructor({ now = Date.now, sweepMs = 30_000, shared = false }: MemoryStoreOptions) {
    this.isShared = shared;
    this.#now = now;
    this.#sweepMs = sweepMs;
    this.#sweptAt = now();
  }

  async get(key: string): Promise<StoredRecord | undefined> {
    const record = this.#alive(this.#records, key);
    return record && { value: JSON.parse(record.text) as Json, version: record.version };
  }

  async put(key: string, value: Json, { ttlMs, ifVersion }: PutOptions = {}): Promise<string | undefined> {
    this.#sweep();
    const current = this.#alive(this.#records, key);
    if (ifVersion !== undefined && (current?.version ?? null) !== ifVersion) return undefined;
    const version = String((this.#version += 1));
    this.#records.set(key, { text: JSON.stringify(value), version, expiresAt: this.#expiry(ttlMs) });
    return version;
  }

  async touch(key: string, ttlMs: number): Promise<boolean> {
    const record = this.#alive(this.#records, key);
    if (record) record.expiresAt = this.#expiry(ttlMs);
    return record !== undefined;
  }

  async delete(key: string, ifVersion?: string): Promise<boolean> {
    this.#sweep();
    const record = this.#alive(this.#records, key);
    if (record === undefined || (ifVersion !== undefined && record.version !== ifVersion)) return false;
    return this.#records.delete(key);
  }

  async add(key: string, amount: number, { ttlMs }: AddOptions = {}): Promise<number> {
    this.#sweep();
    const current = this.#alive(this.#records, key);
    const before: unknown = current === undefined ? 0 : JSON.parse(current.text);
    if (typeof before !== 'number') throw new TypeError(`The record ${key} holds no number to add to.`);
    const version = String((this.#version += 1));
    const expiresAt = current?.expiresAt ?? this.#expiry(ttlMs);
    this.#records.set(key, { text: JSON.stringify(before + amount), version, expiresAt });
    return before + amount;
  }

  async count(prefix: string): Promise<number> {
    let found = 0;
    for (const key of this.#records.keys()) if (key.startsWith(prefix) && this.#alive(this.#records, key)) found += 1;
    return found;
  }

  async keys(prefix: string, { after, limit = FOREVER }: ReadOptions = {}): Promise<readonly string[]> {
    const found = [...this.#records.keys()].filter(
      (key) => key.startsWith(prefix) && (after === undefined || key > after) && this.#alive(this.#records, key),
    );
    return found.sort((a, b) => (a < b ? -1 : 1)).slice(0, limit);
  }

  async append(
    log: string,
    value: Json,
    { ttlMs, maxEntries = FOREVER, maxBytes = FOREVER }: AppendOptions = {},
  ): Promise<string> {
    this.#sweep();
    const text = JSON.stringify(value);
    const kept = this.#alive(this.#logs, log) ?? { entries: [], first: 0, bytes: 0, expiresAt: FOREVER };
    const position = (this.#position += 1);
    kept.entries.push({ position, text });
    kept.bytes += text.length;
    trim(kept, maxEntries, maxBytes);
    kept.expiresAt = this.#expiry(ttlMs);
    this.#logs.set(log, kept);
    return String(position);
  }

  async read(log: string, { after, limit = FOREVER }: ReadOptions = {}): Promise<readonly LogEntry[]> {
    const kept = this.#alive(this.#logs, log);
    if (kept === undefined) return [];
    const start = after === undefined ? kept.first : Math.max(kept.first, indexAfter(kept.entries, Number(after)));
    return kept.entries
      .slice(start, start + limit)
      .map(({ position, text }) => ({ position: String(position), value: JSON.parse(text) as Json }));
  }

  async deleteLog(log: string): Promise<void> {
    this.#logs.delete(log);
  }

  async publish(channel: string, message: Json): Promise<void> {
    this.#channels.tell(channel, JSON.stringify(message));
  }

  async subscribe(channel: string, onmessage: (message: Json) => void): Promise<() => Promise<void>> {
    const end = this.#channels.add(channel, onmessage);
    return async () => end();
  }

  async close(): Promise<void> {
    this.#records.clear();
    this.#logs.clear();
    this.#channels.clear();
  }

  #alive<T extends Expiring>(map: Map<string, T>, key: string): T | undefined {
    const found = map.get(key);
    if (found === undefined || found.expiresAt > this.#now()) return found;
    map.delete(key);
    return undefined;
  }

  #expiry(ttlMs: number | undefined): number {
    return ttlMs === undefined ? FOREVER : this.#now() + ttlMs;
  }

  /** Looks through everything now and then while writing, so that no timer keeps a process alive. */
  #sweep(): void {
    const now = this.#now();
    if (now - this.#sweptAt < this.#sweepMs) return;
    this.#sweptAt = now;
    for (const map of [this.#records, this.#logs])
      for (const [key, { expiresAt }] of map) if (expiresAt <= now) map.delete(key);
  }
}

/** Drops the oldest, and never the newest. */
function trim(log: MemoryLog, maxEntries: number, maxBytes: number): void {
  const { entries } = log;
  while (log.first < entries.length - 1 && (entries.length - log.first > maxEntries || log.bytes > maxBytes)) {
    log.bytes -= entries[log.first]?.text.length ?? 0;
    entries[log.first] = DROPPED;
    log.first += 1;
  }
  if (log.first <= entries.length / 2) return;
  log.entries = entries.slice(log.first);
  log.first = 0;
}

/** Stands where an entry was, so that its text is let go at once. */
const DROPPED: MemoryEntry = { position: 0, text: '' };

/** The first index whose position is greater; behind all of them for what is no position. */
function indexAfter(entries: readonly MemoryEntry[], after: number): number {
  if (Number.isNaN(after)) return entries.length;
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.position ?? 0) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
