import { createHash, randomBytes } from 'node:crypto';
import type { Store } from 'crosspoint/stores';
import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import type { ConfigFile } from '../files/config-file.ts';
import type { Origin, ServerEntry } from '../server-entry.ts';
import { summaryChanges, summaryOf } from './entry-summary.ts';
import type { EntryChange, TrustReader, TrustState } from './trust-reader.ts';

/** A file that the user trusts. */
export interface TrustRecord {
  readonly file: string;
  /** `contentDigest` of the content that is trusted. */
  readonly digest: string;
  /** When it was trusted, as ISO 8601. */
  readonly at: string;
  /** The servers that the file had. */
  readonly servers: readonly string[];
}

export interface TrustBookOptions {
  /** Begins the keys in the store; `host:trust:` when absent. */
  readonly prefix?: string;
  /** Milliseconds since 1970; the clock of the machine when absent. */
  readonly now?: () => number;
}

interface KeptRecord {
  readonly file: string;
  readonly digest: string;
  readonly at: string;
  /** Key of the marks that stand for hidden values. */
  readonly salt: string;
  readonly entries: JsonObject;
}

const PAGE = 100;

/**
 * Which files of repositories the user trusts, and with which content. It is kept in a store, so that no repository can write it. Servers of a
 * file that is not trusted are neither expanded nor started, and neither are those of a file whose content has changed since.
 *
 * ```ts
 * const trust = new TrustBook(store);
 * const { files } = await readConfiguration({ folder });
 * for (const file of files) if (file.scope === 'project' && (await askUser(file))) await trust.grant(file);
 * ```
 */
export class TrustBook implements TrustReader {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #now: () => number;

  constructor(store: Store, options: TrustBookOptions = {}) {
    this.#store = store;
    this.#prefix = options.prefix ?? 'host:trust:';
    this.#now = options.now ?? Date.now;
  }

  async stateOf({ file, digest }: Pick<Origin, 'file' | 'digest'>): Promise<TrustState> {
    const record = file === undefined ? undefined : await this.#read(file);
    if (record === undefined) return 'unknown';
    return digest !== undefined && record.digest === digest ? 'trusted' : 'changed';
  }

  /** Trusts a file with the content that it was read with, which is the one that the user was shown. */
  async grant(file: ConfigFile): Promise<void> {
    const salt = randomBytes(16).toString('hex');
    const entries = Object.fromEntries(file.entries.map((entry) => [entry.name, summaryOf(entry, salt)]));
    const at = new Date(this.#now()).toISOString();
    await this.#store.put(this.#keyOf(file.file), { file: file.file, digest: file.digest, at, salt, entries });
  }

  /** Whether the file was trusted. */
  revoke(file: string): Promise<boolean> {
    return this.#store.delete(this.#keyOf(file));
  }

  async list(): Promise<TrustRecord[]> {
    const records: TrustRecord[] = [];
    for (let after: string | undefined; ;) {
      const keys = await this.#store.keys(this.#prefix, { limit: PAGE, ...(after !== undefined && { after }) });
      for (const key of keys) {
        const record = recordOf((await this.#store.get(key))?.value);
        if (record !== undefined) records.push(listed(record));
      }
      after = keys.at(-1);
      if (keys.length < PAGE || after === undefined) return records;
    }
  }

  async changesOf(file: string, entries: readonly ServerEntry[]): Promise<readonly EntryChange[]> {
    const record = await this.#read(file);
    if (record === undefined) return [];
    const now = Object.fromEntries(entries.map((entry) => [entry.name, summaryOf(entry, record.salt)]));
    return summaryChanges(record.entries, now);
  }

  async #read(file: string): Promise<KeptRecord | undefined> {
    const record = recordOf((await this.#store.get(this.#keyOf(file)))?.value);
    return record?.file === file ? record : undefined;
  }

  #keyOf(file: string): string {
    return `${this.#prefix}${createHash('sha256').update(file).digest('hex')}`;
  }
}

function recordOf(value: Json | undefined): KeptRecord | undefined {
  if (!isObject(value)) return undefined;
  const { file, digest, at, salt, entries } = value;
  const isKept = [file, digest, at, salt].every((member) => typeof member === 'string') && isObject(entries);
  return isKept ? (value as unknown as KeptRecord) : undefined;
}

function listed({ file, digest, at, entries }: KeptRecord): TrustRecord {
  return { file, digest, at, servers: Object.keys(entries) };
}
