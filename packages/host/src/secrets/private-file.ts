import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SecretError } from './secret-error.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const MAX_BYTES = 16 * 1024 * 1024;
/** Windows has neither this flag nor the bits of the mode; the folder of the user is private there. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const HAS_MODES = process.platform !== 'win32';

/** The text of a file that only its owner can read and replace; `undefined` where there is none. */
export async function readPrivate(path: string): Promise<string | undefined> {
  let file;
  try {
    file = await open(path, constants.O_RDONLY | NO_FOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw unsafe(path, 'is a link');
    throw new SecretError(
      'unsafe-file',
      `The file of secrets ${path} cannot be opened (${code}). Check its permissions.`,
    );
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw unsafe(path, 'is not a file');
    if (HAS_MODES && (stats.mode & OTHERS) !== 0)
      throw unsafe(path, 'can be read or changed by other users: its mode has to be 600');
    if (HAS_MODES && stats.uid !== process.getuid?.()) throw unsafe(path, 'belongs to another user');
    if (stats.size > MAX_BYTES) throw unsafe(path, `has more than ${MAX_BYTES} bytes`);
    await requirePrivateFolder(path);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Replaces a file as a whole: after a crash it has its old text or its new one. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    const file = await open(draft, 'wx', FILE_MODE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(path));
}

/** Makes the folder of a file where there is none, and refuses one in which others could replace the file. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
  await requirePrivateFolder(path);
}

async function requirePrivateFolder(path: string): Promise<void> {
  const stats = await lstat(dirname(path));
  if (!stats.isDirectory()) throw unsafe(path, 'is in a folder that is a link');
  if (HAS_MODES && (stats.mode & OTHERS_WRITE) !== 0)
    throw unsafe(path, 'is in a folder that other users can write to: the mode of the folder has to be 700');
}

/** Windows cannot sync a folder, and does not need it. */
async function syncFolder(path: string): Promise<void> {
  if (!HAS_MODES) return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function unsafe(path: string, fault: string): SecretError {
  return new SecretError(
    'unsafe-file',
    `The file of secrets ${path} is not used: it ${fault}. Nothing in it was read or changed.`,
  );
}
