import type { AppendOptions, Json, LogEntry, PutOptions, ReadOptions, Store, StoredRecord } from './store.ts';

export interface MemoryStoreOptions {
  /** The time now, in milliseconds. */
  readonly now?: () => number;
  /** How often what has expired is looked for, at most; what is read is always checked. */
  readonly sweepMs?: number;
}

interface Expiring {
  expiresAt: number;
}

interface MemoryRecord extends Expiring {
  text: string;
  version: string;
}

interface MemoryLog extends Expiring {
  entries: LogEntry[];
  next: number;
}

const FOREVER = Number.POSITIVE_INFINITY;

/** Keeps everything in this process. Values are copied in and out as text, so that it behaves as the other stores do. */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options);
}

class MemoryStore implements Store {
  readonly #records = new Map<string, MemoryRecord>();
  readonly #logs = new Map<string, MemoryLog>();
  readonly #channels = new Map<string, Set<(message: Json) => void>>();
  readonly #now: () => number;
  readonly #sweepMs: number;
  #sweptAt: number;
  #version = 0;

  constructor({ now = Date.now, sweepMs = 30_000 }: MemoryStoreOptions) {
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
    const record = this.#alive(this.#records, key);
    if (record === undefined || (ifVersion !== undefined && record.version !== ifVersion)) return false;
    return this.#records.delete(key);
  }

  async keys(prefix: string, { after, limit = FOREVER }: ReadOptions = {}): Promise<readonly string[]> {
    const found = [...this.#records.keys()].filter((key) => key.startsWith(prefix) && (after === undefined || key > after) && this.#alive(this.#records, key));
    return found.sort((a, b) => (a < b ? -1 : 1)).slice(0, limit);
  }

  async append(log: string, value: Json, { ttlMs, maxEntries }: AppendOptions = {}): Promise<string> {
    this.#sweep();
    const kept = this.#alive(this.#logs, log) ?? { entries: [], next: 1, expiresAt: FOREVER };
    const position = String(kept.next++);
    kept.entries.push({ position, value: JSON.parse(JSON.stringify(value)) as Json });
    // Dropped in lumps: removing from the front one by one would cost the length of the log each time.
    if (maxEntries !== undefined && kept.entries.length > maxEntries * 2) kept.entries = kept.entries.slice(-maxEntries);
    kept.expiresAt = this.#expiry(ttlMs);
    this.#logs.set(log, kept);
    return position;
  }

  async read(log: string, { after, limit = FOREVER }: ReadOptions = {}): Promise<readonly LogEntry[]> {
    const entries = this.#alive(this.#logs, log)?.entries ?? [];
    const first = Number(entries[0]?.position ?? 1);
    const start = after === undefined ? 0 : Math.max(0, Number(after) - first + 1);
    return entries.slice(start, start + limit);
  }

  async deleteLog(log: string): Promise<void> {
    this.#logs.delete(log);
  }

  async publish(channel: string, message: Json): Promise<void> {
    const text = JSON.stringify(message);
    for (const listener of this.#channels.get(channel) ?? []) queueMicrotask(() => listener(JSON.parse(text) as Json));
  }

  async subscribe(channel: string, onmessage: (message: Json) => void): Promise<() => Promise<void>> {
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners);
    // One listener function may be subscribed twice; each subscription ends alone.
    const own = (message: Json): void => onmessage(message);
    listeners.add(own);
    return async () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#channels.get(channel) === listeners) this.#channels.delete(channel);
    };
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
    for (const map of [this.#records, this.#logs]) for (const [key, { expiresAt }] of map) if (expiresAt <= now) map.delete(key);
  }
}
