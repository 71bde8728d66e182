import { resolve } from 'node:path';
import { describeKey, type KeySource } from './file-key.ts';
import { withLock } from './file-lock.ts';
import { makePrivateFolder, readPrivate, writePrivate } from './private-file.ts';
import { newFileKey, seal, unseal, type FileKey } from './sealed-file.ts';
import { checkName, checkValue } from './secret-name.ts';
import type { SecretStore } from './secret-store.ts';

const DEFAULT_LOCK_MS = 10_000;

export interface EncryptedFileOptions {
  /** The file; it and its folder are made at the first `set`. */
  readonly path: string;
  readonly key: KeySource;
  /** How long a change waits for another process; 10 seconds by default. */
  readonly lockTimeoutMs?: number;
}

/**
 * Keeps secrets in a file that is encrypted as a whole with AES-256-GCM and that only its owner can read. The key never lies beside it. Every change reads the
 * file again under a lock, so that processes which share it lose nothing.
 *
 * ```ts
 * const secrets = new EncryptedFile({ path: '/home/me/.config/my-host/secrets.json', key: { variable: 'MY_HOST_KEY' } });
 * await secrets.set('github/token', token);
 * ```
 */
export class EncryptedFile implements SecretStore {
  readonly #path: string;
  readonly #source: KeySource;
  readonly #lockTimeoutMs: number;
  #fileKey: FileKey | undefined;
  /** Settles when those that came before have read: a passphrase is asked for once. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ path, key, lockTimeoutMs = DEFAULT_LOCK_MS }: EncryptedFileOptions) {
    this.#path = resolve(path);
    this.#source = key;
    this.#lockTimeoutMs = lockTimeoutMs;
  }

  async get(name: string): Promise<string | undefined> {
    checkName(name);
    return (await this.#read()).get(name);
  }

  async set(name: string, value: string): Promise<void> {
    checkName(name);
    checkValue(name, value);
    await this.#change((values) => {
      values.set(name, value);
      return true;
    });
  }

  async delete(name: string): Promise<boolean> {
    checkName(name);
    if (!(await this.#read()).has(name)) return false;
    return this.#change((values) => values.delete(name));
  }

  async names(): Promise<readonly string[]> {
    return [...(await this.#read()).keys()].sort();
  }

  describe(): string {
    return `Secrets are kept in the encrypted file ${this.#path} (AES-256-GCM), with ${describeKey(this.#source)}.`;
  }

  #read(): Promise<Map<string, string>> {
    if (this.#fileKey !== undefined) return this.#readNow();
    const turn = this.#turn.then(() => this.#readNow());
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #readNow(): Promise<Map<string, string>> {
    const text = await readPrivate(this.#path);
    if (text === undefined) return new Map();
    const { values, fileKey } = await unseal(text, this.#source, this.#path, this.#fileKey);
    this.#fileKey = fileKey;
    return values;
  }

  /** `change` says whether there is something to write. */
  async #change(change: (values: Map<string, string>) => boolean): Promise<boolean> {
    await makePrivateFolder(this.#path);
    return withLock(this.#path, this.#lockTimeoutMs, async () => {
      const values = await this.#read();
      if (!change(values)) return false;
      this.#fileKey ??= await newFileKey(this.#source);
      await writePrivate(this.#path, seal(values, this.#fileKey));
      return true;
    });
  }
}
