import { randomUUID } from 'node:crypto';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { SecretError } from './secret-error.ts';

const RETRY_MS = 20;
/** A lock without an owner in it is one whose process ended between making and writing it. */
const UNOWNED_MS = 5000;

interface Owner {
  readonly process: number;
  readonly host: string;
  readonly id: string;
}

/**
 * Runs `work` while no other process does so for the same path. The lock is a file that exists; one whose process is gone is removed. Rejects with `locked`
 * when the time is over.
 */
export async function withLock<T>(path: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  const owner: Owner = { process: process.pid, host: hostname(), id: randomUUID() };
  const giveUpAt = Date.now() + timeoutMs;
  while (!(await wasMade(lock, JSON.stringify(owner)))) {
    if (await isLeftBehind(lock)) await removeLeft(lock);
    else if (Date.now() > giveUpAt)
      throw new SecretError(
        'locked',
        `The file of secrets ${path} is kept by another process. Try again; if no such process runs, remove ${lock}.`,
      );
    else await pause(RETRY_MS * (0.5 + Math.random()));
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function wasMade(lock: string, text: string): Promise<boolean> {
  try {
    const file = await open(lock, 'wx', 0o600);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isLeftBehind(lock: string): Promise<boolean> {
  const text = await readFile(lock, 'utf8').catch(() => undefined);
  if (text === undefined) return false;
  try {
    const { process: id, host } = JSON.parse(text) as Owner;
    return host === hostname() && !isAlive(id);
  } catch {
    const made = await stat(lock).catch(() => undefined);
    return made !== undefined && Date.now() - made.mtimeMs > UNOWNED_MS;
  }
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes a lock that is left behind; a second file keeps two processes from doing so one after the other, which would remove a new lock. */
async function removeLeft(lock: string): Promise<void> {
  const removal = `${lock}.removal`;
  if (!(await wasMade(removal, ''))) {
    await pause(RETRY_MS);
    return;
  }
  try {
    if (await isLeftBehind(lock)) await rm(lock, { force: true });
  } finally {
    await rm(removal, { force: true });
  }
}
