import { storeServing } from '../server/stored/store-serving.ts';
import { firstIndex } from '../runtime/first-index.ts';
import { Channels } from './channels.ts';
import { KeyTree } from './key-tree.ts';
import { LeftBehind, type LeftBehindOptions } from './left-behind.ts';
import { FOREVER, MemoryRecords, named, type Expiring, type NamedHolding } from './memory-records.ts';
import type { Keeper } from './shares.ts';
import type { AddOptions, AppendOptions, Json, LogEntry, ReadOptions, Store, StoreServing } from './store.ts';

export interface MemoryStoreOptions extends LeftBehindOptions {
  /** The time now, in milliseconds. */
  readonly now?: () => number;
  /** Least milliseconds between two searches for expired records. An expired record is never returned, removed or not. */
  readonly sweepMs?: number;
  /** Whether several endpoints of this process use the store as nodes of one service; false when absent. */
  readonly shared?: boolean;
}

interface MemoryEntry {
  readonly position: number;
  readonly text: string;
}

interface MemoryLog extends Expiring {
  entries: MemoryEntry[];
  /** Index of the first live entry. Dropped entries are removed in lumps: removing one from the front costs the length of the log. */
  first: number;
  bytes: number;
}

/** Memory beside the text itself, in bytes, as measured. */
const LOG_BYTES = 800;
const ENTRY_BYTES = 100;

/**
 * Keeps everything in this process. Values are copied in and out as JSON text, as other stores do. Bytes that callers leave behind are counted as
 * characters of JSON plus the overhead of a record or entry.
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(new LeftBehind(options), options, storeServing);
}

/** A memory store for one part of a server, which shares its limits on bytes left behind with others. */
export function memoryStoreWithin(leftBehind: LeftBehind, options: MemoryStoreOptions): Store {
  return new MemoryStore(leftBehind, options);
}

class MemoryStore extends MemoryRecords implements Store {
  readonly isShared: boolean;
  readonly serving: StoreServing | undefined;
  /** Index of the keys that are searched by prefix. */
  #keys = new KeyTree();
  readonly #logs = new Map<string, MemoryLog>();
  readonly #channels = new Channels();
  readonly #logKeeper: Keeper = { shed: (holding) => this.#shedEntry((holding as NamedHolding).name) };
  #position = 0;

  constructor(leftBehind: LeftBehind, options: MemoryStoreOptions, serving?: StoreServing) {
    super(leftBehind, options);
    this.serving = serving;
    this.isShared = options.shared ?? false;
  }

  async add(key: string, amount: number, { ttlMs }: AddOptions = {}): Promise<number> {
    this.sweep();
    const current = this.alive(this.records, key);
    const before: unknown = current === undefined ? 0 : JSON.parse(current.text);
    if (typeof before !== 'number') throw new TypeError(`The record ${key} holds no number to add to.`);
    const expiresAt = current?.expiresAt ?? this.expiry(ttlMs);
    this.write(key, JSON.stringify(before + amount), expiresAt, current?.left);
    return before + amount;
  }

  async count(prefix: string): Promise<number> {
    let found = 0;
    this.#eachKey(prefix, () => (found += 1));
    return found;
  }

  async keys(prefix: string, { after, limit = FOREVER }: ReadOptions = {}): Promise<readonly string[]> {
    this.#index(prefix);
    const isKept = (key: string): boolean => this.alive(this.records, key) !== undefined;
    const page = this.#keys.page(prefix, { after, limit }, isKept);
    if (page !== undefined) return page;
    const found: string[] = [];
    this.#eachKey(prefix, (key) => {
      if (after === undefined || key > after) found.push(key);
    });
    return found.sort((a, b) => (a < b ? -1 : 1)).slice(0, limit);
  }

  async append(
    log: string,
    value: Json,
    { ttlMs, maxEntries = FOREVER, maxBytes = FOREVER, leftBy }: AppendOptions = {},
  ): Promise<string> {
    this.sweep();
    const text = JSON.stringify(value);
    const kept = this.alive(this.#logs, log) ?? this.#newLog(log, leftBy);
    const position = (this.#position += 1);
    kept.entries.push({ position, text });
    kept.bytes += text.length;
    trim(kept, maxEntries, maxBytes);
    kept.expiresAt = this.expiry(ttlMs);
    if (kept.left) this.leftBehind.write(kept.left, sizeOf(log, kept));
    return String(position);
  }

  async read(log: string, { after, limit = FOREVER }: ReadOptions = {}): Promise<readonly LogEntry[]> {
    const kept = this.alive(this.#logs, log);
    if (kept === undefined) return [];
    const start = after === undefined ? kept.first : Math.max(kept.first, indexAfter(kept.entries, Number(after)));
    return kept.entries
      .slice(start, start + limit)
      .map(({ position, text }) => ({ position: String(position), value: JSON.parse(text) as Json }));
  }

  async deleteLog(log: string): Promise<void> {
    this.forget(this.#logs, log);
  }

  async publish(channel: string, message: Json): Promise<void> {
    this.#channels.tell(channel, JSON.stringify(message));
  }

  async subscribe(channel: string, onmessage: (message: Json) => void): Promise<() => Promise<void>> {
    const end = this.#channels.add(channel, onmessage);
    return async () => end();
  }

  async close(): Promise<void> {
    for (const { left } of [...this.records.values(), ...this.#logs.values()]) if (left) this.leftBehind.release(left);
    this.records.clear();
    this.#keys = new KeyTree();
    this.#logs.clear();
    this.#channels.clear();
  }

  protected override write(key: string, text: string, expiresAt: number, left: NamedHolding | undefined): string {
    if (!this.records.has(key)) this.#keys.add(key);
    return super.write(key, text, expiresAt, left);
  }

  protected override forget(among: Map<string, Expiring>, key: string): void {
    super.forget(among, key);
    if (among !== this.#logs) this.#keys.delete(key);
  }

  protected override forgetExpired(now: number, among: Map<string, Expiring> = this.records): void {
    super.forgetExpired(now, among);
    if (among !== this.#logs) this.forgetExpired(now, this.#logs);
  }

  #newLog(log: string, leftBy: string | undefined): MemoryLog {
    const left = leftBy === undefined ? undefined : named(this.#logKeeper, log);
    const made: MemoryLog = { entries: [], first: 0, bytes: 0, expiresAt: FOREVER, left };
    this.#logs.set(log, made);
    if (left && leftBy !== undefined) this.leftBehind.hold(leftBy, left, 0);
    return made;
  }

  #shedEntry(log: string): void {
    const kept = this.#logs.get(log);
    if (kept === undefined || kept.entries.length - kept.first <= 1) return this.forget(this.#logs, log);
    dropFirst(kept);
    compact(kept);
    if (kept.left) this.leftBehind.shrink(kept.left, sizeOf(log, kept));
  }

  #index(prefix: string): void {
    if (!this.#keys.covers(prefix)) for (const key of this.records.keys()) this.#keys.add(key);
  }

  #eachKey(prefix: string, run: (key: string) => void): void {
    this.#index(prefix);
    this.#keys.visit(prefix, (key) => {
      if (this.alive(this.records, key) !== undefined) run(key);
    });
  }
}

/** Drops the oldest entries beyond the limits, never the newest. */
function trim(log: MemoryLog, maxEntries: number, maxBytes: number): void {
  const { length } = log.entries;
  while (log.first < length - 1 && (length - log.first > maxEntries || log.bytes > maxBytes)) dropFirst(log);
  compact(log);
}

function dropFirst(log: MemoryLog): void {
  log.bytes -= log.entries[log.first]?.text.length ?? 0;
  log.entries[log.first] = DROPPED;
  log.first += 1;
}

function compact(log: MemoryLog): void {
  if (log.first <= log.entries.length / 2) return;
  log.entries = log.entries.slice(log.first);
  log.first = 0;
}

function sizeOf(name: string, { entries, first, bytes }: MemoryLog): number {
  return LOG_BYTES + name.length + bytes + ENTRY_BYTES * (entries.length - first);
}

/** Replaces a dropped entry, so that its text is freed at once. */
const DROPPED: MemoryEntry = { position: 0, text: '' };

/** The index of the first entry after a position; the length of the list for a text that is no position. */
function indexAfter(entries: readonly MemoryEntry[], after: number): number {
  if (Number.isNaN(after)) return entries.length;
  return firstIndex(entries.length, (index) => (entries[index]?.position ?? 0) > after);
}
