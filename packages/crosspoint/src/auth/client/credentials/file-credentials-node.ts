import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { Json } from '../../../stores/store.ts';
import { AuthFlowError } from '../flow-error.ts';
import { ShelvedCredentials, type Shelf } from './credential-store.ts';

/**
 * Stores credentials in a file that only its owner may read (0600). The file is replaced as a whole and locked across processes during a
 * refresh. All programs given the same path share their logins.
 */
export class FileCredentials extends ShelvedCredentials {
  constructor(path: string = defaultCredentialsPath()) {
    super(new FileShelf(path));
  }
}

/** Path of this user's credentials when none is given. */
export function defaultCredentialsPath(): string {
  const { XDG_CONFIG_HOME: xdg, APPDATA: appData } = process.env;
  const base = process.platform === 'win32' ? appData : xdg;
  const folder = base === undefined || base === '' ? join(homedir(), '.config') : base;
  return join(folder, 'crosspoint', 'credentials.json');
}

interface Contents {
  readonly version: 1;
  readonly entries: Readonly<Record<string, Json>>;
}

class FileShelf implements Shelf {
  readonly #path: string;
  /** The last contents read, and the file they were in: a replaced file has another identity. */
  #seen: { readonly file: string; readonly contents: Contents } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async get(name: string): Promise<Json | undefined> {
    const { entries } = await this.#read();
    return Object.hasOwn(entries, name) ? entries[name] : undefined;
  }

  async put(name: string, value: Json | undefined): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    await withLock(`${this.#path}.lock`, async () => {
      const { entries } = await this.#read();
      const { [name]: _before, ...others } = entries;
      await this.#replace({ version: 1, entries: value === undefined ? others : { ...others, [name]: value } });
    });
  }

  async exclusive<T>(name: string, work: () => Promise<T>): Promise<T> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const digest = createHash('sha256').update(name).digest('hex').slice(0, 16);
    return withLock(`${this.#path}.${digest}.lock`, work);
  }

  async #read(): Promise<Contents> {
    const facts = await stat(this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (facts === undefined) return { version: 1, entries: {} };
    // Permissions were widened by someone; they are narrowed to the owner again.
    if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0) await chmod(this.#path, 0o600);
    const file = `${facts.ino} ${facts.mtimeMs} ${facts.size}`;
    if (this.#seen?.file !== file) this.#seen = { file, contents: this.#parse(await readFile(this.#path, 'utf8')) };
    return this.#seen.contents;
  }

  #parse(text: string): Contents {
    try {
      const value = JSON.parse(text) as Contents;
      if (value.version === 1 && typeof value.entries === 'object') return value;
    } catch {
      // The error below says so, without quoting the file.
    }
    throw new AuthFlowError(
      'configuration',
      `${this.#path} is not a credential file of this version. Move it away to log in again.`,
    );
  }

  async #replace(contents: Contents): Promise<void> {
    const beside = `${this.#path}.${randomUUID()}.tmp`;
    try {
      const file = await open(beside, 'wx', 0o600);
      try {
        await file.writeFile(`${JSON.stringify(contents, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(beside, this.#path);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
  }
}

/** Interval at which a lock holder updates its file. */
const ALIVE_MS = 5000;
/** A lock without an update for this long is abandoned. */
const STALE_MS = 30_000;
const WAIT_MS = 120_000;
const POLL_MS = 25;

/** Runs `work` while holding the lock file. Waits for another holder, and takes over from one that ended without releasing it. */
async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const owner = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() });
  const deadline = Date.now() + WAIT_MS;
  while (!(await tryLock(path, owner))) {
    if (await isAbandoned(path, STALE_MS)) await takeAway(path);
    else if (Date.now() > deadline)
      throw new AuthFlowError(
        'unavailable',
        `${path} has been held by another process, which it names, for more than ${WAIT_MS} ms: end that process, or try again later.`,
      );
    else await new Promise((resolve) => setTimeout(resolve, POLL_MS * (0.5 + Math.random())));
  }
  const alive = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), ALIVE_MS);
  alive.unref();
  try {
    return await work();
  } finally {
    clearInterval(alive);
    if ((await readFile(path, 'utf8').catch(() => undefined)) === owner) await rm(path, { force: true });
  }
}

async function tryLock(path: string, owner: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(owner);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Windows reports EPERM for a file that is just being removed.
    if (code === 'EEXIST' || (process.platform === 'win32' && code === 'EPERM')) return false;
    throw error;
  }
}

async function isAbandoned(path: string, staleMs: number): Promise<boolean> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    if (Date.now() - mtimeMs > staleMs) return true;
    if (text === '') return false;
    const { pid, host } = JSON.parse(text) as { pid: number; host: string };
    return host === hostname() && !isRunning(pid);
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Only one process at a time may take over a lock; otherwise a second could take it from the first, which has just got it. */
async function takeAway(path: string): Promise<void> {
  const turn = `${path}.turn`;
  if (!(await tryLock(turn, String(process.pid)))) {
    if (await isAbandoned(turn, STALE_MS / 3)) await unlink(turn).catch(() => {});
    return;
  }
  try {
    if (await isAbandoned(path, STALE_MS)) await rm(path, { force: true });
  } finally {
    await rm(turn, { force: true });
  }
}
