import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CliError } from '../errors/cli-error.ts';

const RETRY_MS = 20;
/** An edit takes milliseconds: a lock that is older was left behind by a process that ended. */
const LEFT_MS = 10_000;
const WAIT_MS = 20_000;
const TRIES = 20;

/**
 * Replaces a file of the user as a whole, for them alone to read: after a crash it has its old text or its new one. `change` gets the text, `undefined` where
 * there is no file, and returns the new one, or `undefined` for none. Commands that edit the same file wait for each other, and a text that another
 * program has written meanwhile is changed again, so that nothing is lost.
 */
export async function editFile(
  path: string,
  change: (text: string | undefined) => string | undefined | Promise<string | undefined>,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // A link stays one: the file that it leads to is edited.
  const file = await realpath(path).catch(() => path);
  await withLock(`${file}.lock`, async () => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const before = await readText(file);
      const after = await change(before);
      if (after === undefined || after === before) return;
      if (await wasReplaced(file, before, after)) return;
    }
    throw new CliError('internal', `The file ${file} is written by another program all the time.`);
  });
}

/** The text of a file; `undefined` where there is none. */
export async function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CliError('usage', `The file ${file} cannot be read (${error.code ?? error.message}).`);
  });
}

/** Writes a file as a whole, for this user alone to read. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  const draft = await draftOf(file, text);
  await rename(draft, file);
}

async function wasReplaced(file: string, before: string | undefined, after: string): Promise<boolean> {
  const draft = await draftOf(file, after);
  try {
    if ((await readText(file)) !== before) return false;
    await rename(draft, file);
    return true;
  } finally {
    await rm(draft, { force: true });
  }
}

async function draftOf(file: string, text: string): Promise<string> {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return draft;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliError('usage', `The file ${file} cannot be written (${code ?? message}).`);
  }
}

async function withLock(lock: string, work: () => Promise<void>): Promise<void> {
  const giveUpAt = Date.now() + WAIT_MS;
  while (!(await wasMade(lock))) {
    const { mtimeMs } = (await stat(lock).catch(() => undefined)) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > LEFT_MS) await rm(lock, { force: true });
    else if (Date.now() > giveUpAt)
      throw new CliError('usage', `Another command keeps ${lock} for a long time.`, {
        hint: 'If no other crosspoint runs, remove that file.',
      });
    else await pause(RETRY_MS * (0.5 + Math.random()));
  }
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function wasMade(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw new CliError('usage', `The file ${lock} cannot be written (${code ?? 'unknown error'}).`);
  }
}
