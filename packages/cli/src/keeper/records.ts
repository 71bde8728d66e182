import { link, mkdir, readFile, readdir, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CliError } from '../errors/cli-error.ts';

/** A kept connection as its keeper has written it down. */
export interface KeptRecord {
  readonly name: string;
  /** The socket or named pipe of the keeper. */
  readonly socket: string;
  /** Proves to the keeper that a command may read this file. */
  readonly token: string;
  readonly version: string;
  /** Of the keeper; for people alone: a process is never ended by its number, which may belong to another one by now. */
  readonly pid: number;
  /** When it was opened, as ISO 8601. */
  readonly since: string;
  /** Command or address, secrets hidden. */
  readonly target: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Throws where the name cannot be that of a kept connection. */
export function checkKeptName(name: string): void {
  if (!NAME.test(name))
    throw new CliError(
      'usage',
      `${JSON.stringify(name)} cannot be a name: use letters, digits, ".", "_" and "-", at most 64.`,
    );
}

/** The kept connections of this user, as files that only they can read. */
export class KeptRecords {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes the folder, for this user alone. Rejects where others own it or could write to it. */
  async prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if (process.platform === 'win32') return;
    const { uid, mode } = await stat(this.#folder);
    if (uid !== process.getuid?.() || (mode & 0o077) !== 0)
      throw new CliError('denied', `The folder ${this.#folder} is not yours alone, so nothing is kept in it.`, {
        hint: `chmod 700 ${this.#folder}`,
      });
  }

  async read(name: string): Promise<KeptRecord | undefined> {
    if (!NAME.test(name)) return undefined;
    const text = await readFile(this.#file(name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new CliError('internal', `The record of "${name}" cannot be read (${error.code ?? error.message}).`);
    });
    return text === undefined ? undefined : (JSON.parse(text) as KeptRecord);
  }

  async list(): Promise<readonly KeptRecord[]> {
    const files = await readdir(this.#folder).catch(() => []);
    const names = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
    const records = await Promise.all(names.sort().map((name) => this.read(name).catch(() => undefined)));
    return records.filter((record) => record !== undefined);
  }

  /** Writes the record, unless there is one of that name. Whether it was written. */
  async add(record: KeptRecord): Promise<boolean> {
    const draft = join(this.#folder, `.${randomBytes(8).toString('hex')}`);
    await writeFile(draft, JSON.stringify(record), { mode: 0o600 });
    try {
      await link(draft, this.#file(record.name));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      await unlink(draft);
    }
  }

  /** Removes the record, if it is still the one with this token. */
  async remove({ name, token }: Pick<KeptRecord, 'name' | 'token'>): Promise<void> {
    const record = await this.read(name).catch(() => undefined);
    if (record === undefined || record.token === token) await rm(this.#file(name), { force: true });
  }

  #file(name: string): string {
    return join(this.#folder, `${name}.json`);
  }
}
