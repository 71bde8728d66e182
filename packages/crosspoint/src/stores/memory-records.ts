import type { LeftBehind } from './left-behind.ts';
import type { MemoryStoreOptions } from './memory.ts';
import type { Holding, Keeper } from './shares.ts';
import type { Json, PutOptions, StoredRecord } from './store.ts';

export interface Expiring {
  expiresAt: number;
  /** The bytes counted for the caller who left it; `undefined` for records and logs that are never dropped for want of room. */
  left: NamedHolding | undefined;
}

/** The bytes counted for a record or a log, by its key. */
export interface NamedHolding extends Holding {
  readonly name: string;
}

export interface MemoryRecord extends Expiring {
  text: string;
  version: string;
}

export const FOREVER: number = Number.POSITIVE_INFINITY;

/** Memory beside the text itself, in bytes, as measured. */
const RECORD_BYTES = 400;

/** Records in this process, which expire and can be swapped safely. Values are copied in and out as JSON text, as in other stores. */
export class MemoryRecords implements Keeper {
  protected readonly records: Map<string, MemoryRecord> = new Map();
  protected readonly leftBehind: LeftBehind;
  readonly #now: () => number;
  readonly #sweepMs: number;
  #sweptAt: number;
  #version = 0;

  constructor(
    leftBehind: LeftBehind,
    { now = Date.now, sweepMs = 30_000 }: Pick<MemoryStoreOptions, 'now' | 'sweepMs'>,
  ) {
    this.leftBehind = leftBehind;
    this.#now = now;
    this.#sweepMs = sweepMs;
    this.#sweptAt = now();
  }

  async get(key: string): Promise<StoredRecord | undefined> {
    const record = this.alive(this.records, key);
    return record && { value: JSON.parse(record.text) as Json, version: record.version };
  }

  async put(key: string, value: Json, { ttlMs, ifVersion, leftBy }: PutOptions = {}): Promise<string | undefined> {
    this.sweep();
    const current = this.alive(this.records, key);
    if (ifVersion !== undefined && (current?.version ?? null) !== ifVersion) return undefined;
    const text = JSON.stringify(value);
    if (current?.left) this.leftBehind.release(current.left);
    const left = leftBy === undefined ? undefined : named(this, key);
    const version = this.write(key, text, this.expiry(ttlMs), left);
    if (left && leftBy !== undefined) this.leftBehind.hold(leftBy, left, RECORD_BYTES + key.length + text.length);
    return version;
  }

  async touch(key: string, ttlMs: number): Promise<boolean> {
    const record = this.alive(this.records, key);
    if (record) record.expiresAt = this.expiry(ttlMs);
    return record !== undefined;
  }

  async delete(key: string, ifVersion?: string): Promise<boolean> {
    this.sweep();
    const record = this.alive(this.records, key);
    if (record === undefined || (ifVersion !== undefined && record.version !== ifVersion)) return false;
    this.forget(this.records, key);
    return true;
  }

  /** Sets a record and gives it a new version. */
  protected write(key: string, text: string, expiresAt: number, left: NamedHolding | undefined): string {
    const version = String((this.#version += 1));
    this.records.set(key, { text, version, expiresAt, left });
    return version;
  }

  /** The value under a key; `undefined` when it has expired. */
  protected alive<T extends Expiring>(among: Map<string, T>, key: string): T | undefined {
    const found = among.get(key);
    if (found === undefined || found.expiresAt > this.#now()) return found;
    this.forget(among, key);
    return undefined;
  }

  protected forget(among: Map<string, Expiring>, key: string): void {
    const left = among.get(key)?.left;
    if (left) this.leftBehind.release(left);
    among.delete(key);
  }

  protected expiry(ttlMs: number | undefined): number {
    return ttlMs === undefined ? FOREVER : this.#now() + ttlMs;
  }

  /** Removes what has expired while something is written, at most every `sweepMs`: a timer would keep the process alive. */
  protected sweep(): void {
    const now = this.#now();
    if (now - this.#sweptAt < this.#sweepMs) return;
    this.#sweptAt = now;
    this.forgetExpired(now);
  }

  protected forgetExpired(now: number, among: Map<string, Expiring> = this.records): void {
    for (const [key, { expiresAt }] of among) if (expiresAt <= now) this.forget(among, key);
  }

  /** Drops a record for want of room. */
  shed(holding: Holding): void {
    this.forget(this.records, (holding as NamedHolding).name);
  }
}

export function named(keeper: Keeper, name: string): NamedHolding {
  return { name, keeper, share: undefined, size: 0, older: undefined, newer: undefined };
}
