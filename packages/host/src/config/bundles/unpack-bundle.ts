import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Archive, ArchiveEntry } from './archive.ts';
import { BundleError, shownName } from './bundle-error.ts';
import { DEFAULT_LIMITS, type BundleLimits } from './bundle-limits.ts';
import { openBundle, sha256Of } from './read-bundle.ts';

const FOLDER_MODE = 0o700;
const PROGRAM_MODE = 0o700;
const FILE_MODE = 0o600;
/** Windows has no such flag, and makes no links without rights of its own. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** Where a bundle lies now. */
export interface UnpackedBundle {
  /** Absolute path; its last part is the hash of the bundle. */
  readonly folder: string;
  /** `sha256:` and the hash of the whole file. */
  readonly digest: string;
  /** Whether it was unpacked by this call; otherwise every file of it was found, and compared. */
  readonly isNew: boolean;
}

/**
 * Unpacks a bundle into a new folder below `folder`, named by the hash of the bundle: another bundle, or another version of it, never shares a folder. It
 * appears there whole or not at all. Files get the rights of their owner alone; the archive decides only whether one can be run.
 *
 * ```ts
 * const { bytes } = await readBundle('/downloads/weather.mcpb');
 * const { folder } = await unpackBundle(bytes, '/home/me/.local/share/my-host/bundles');
 * ```
 */
export async function unpackBundle(
  source: Uint8Array,
  folder: string,
  limits: BundleLimits = {},
): Promise<UnpackedBundle> {
  const bytes = Buffer.from(source);
  const { archive } = await openBundle(bytes, { ...DEFAULT_LIMITS, ...limits });
  const root = resolve(folder);
  await mkdir(root, { recursive: true, mode: FOLDER_MODE });
  await requireFolder(root);
  const hash = sha256Of(bytes);
  const unpacked = join(root, hash);
  const digest = `sha256:${hash}`;
  if (await isThere(unpacked)) {
    await compare(archive, unpacked);
    return { folder: unpacked, digest, isNew: false };
  }
  const draft = join(root, `.unpacking-${randomBytes(8).toString('hex')}`);
  await mkdir(draft, { mode: FOLDER_MODE });
  try {
    for (const entry of archive.entries) await unpackEntry(archive, entry, draft);
    const isNew = await settle(draft, unpacked);
    if (!isNew) await compare(archive, unpacked);
    return { folder: unpacked, digest, isNew };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function requireFolder(path: string): Promise<void> {
  const stats = await lstat(path);
  if (stats.isDirectory()) return;
  throw new BundleError(
    'unsafe-folder',
    `The bundle was not unpacked: ${shownName(path)} is a link or a file, and not a folder. Remove it, or choose another folder.`,
  );
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Gives the finished folder its name; false where another process was faster. */
async function settle(draft: string, unpacked: string): Promise<boolean> {
  try {
    await rename(draft, unpacked);
    return true;
  } catch (error) {
    if (await isThere(unpacked)) return false;
    throw error;
  }
}

async function unpackEntry(archive: Archive, entry: ArchiveEntry, draft: string): Promise<void> {
  const path = join(draft, ...entry.segments);
  const parent = entry.isFolder ? path : join(draft, ...entry.segments.slice(0, -1));
  await mkdir(parent, { recursive: true, mode: FOLDER_MODE });
  if (entry.isFolder) return;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
  const file = await open(path, flags, entry.isExecutable ? PROGRAM_MODE : FILE_MODE);
  try {
    await writeFile(file, archive.read(entry));
  } finally {
    await file.close();
  }
}

/** Holds the files that were unpacked earlier against the bundle. Further files are not looked at: servers keep caches beside their programs. */
async function compare(archive: Archive, unpacked: string): Promise<void> {
  await requireFolder(unpacked);
  const checked = new Set<string>();
  for (const entry of archive.entries) {
    for (let length = 1; length < entry.segments.length; length += 1) {
      const parent = join(unpacked, ...entry.segments.slice(0, length));
      if (!checked.has(parent)) await requireSame(entry, async () => (await lstat(parent)).isDirectory());
      checked.add(parent);
    }
    const path = join(unpacked, ...entry.segments);
    await requireSame(entry, () =>
      entry.isFolder ? lstat(path).then((stats) => stats.isDirectory()) : isSameFile(path, archive, entry),
    );
  }
}

async function requireSame(entry: ArchiveEntry, isSame: () => Promise<boolean>): Promise<void> {
  if (await isSame().catch(() => false)) return;
  throw new BundleError(
    'changed',
    `The bundle was unpacked before, and ${shownName(entry.segments.join('/'))} in its folder is gone or was changed since. Remove the folder, and unpack the bundle again.`,
  );
}

async function isSameFile(path: string, archive: Archive, entry: ArchiveEntry): Promise<boolean> {
  const file = await open(path, constants.O_RDONLY | NO_FOLLOW);
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size !== entry.bytes) return false;
    const found = await hashOf(file.createReadStream({ autoClose: false }));
    return found === (await hashOf(archive.read(entry)));
  } finally {
    await file.close();
  }
}

async function hashOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}
