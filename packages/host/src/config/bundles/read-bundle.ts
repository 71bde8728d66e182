import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Json } from '../../values/json.ts';
import { pointerOf, type DocumentProblem } from '../document-problem.ts';
import { Archive } from './archive.ts';
import { BundleError, shownName } from './bundle-error.ts';
import { DEFAULT_LIMITS, type BundleLimits } from './bundle-limits.ts';
import type { ReadManifest } from './manifest.ts';
import { checkManifest } from './manifest-check.ts';
import { splitSignature } from './signature-block.ts';

const MANIFEST = 'manifest.json';
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** A bundle that was read and checked, and not unpacked. */
export interface Bundle {
  /** `sha256:` and the hash of the whole file. */
  readonly digest: string;
  readonly bytes: Buffer;
  /** Absent where one of the problems is an error. */
  readonly manifest?: ReadManifest;
  readonly problems: readonly DocumentProblem[];
  readonly files: number;
  readonly unpackedBytes: number;
  /** Whether a signature follows the archive. Crosspoint does not verify it: trust the digest, or the source. */
  readonly hasSignature: boolean;
}

/** The hash of a bundle, as registries write it: 64 hexadecimal digits. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Reads an `.mcpb` file, or its bytes, and checks the archive and the manifest in it. Nothing is unpacked and nothing is run. Throws a `BundleError` for an
 * archive that is not safe; faults of the manifest are in `problems`.
 *
 * ```ts
 * const { manifest, problems } = await readBundle('/downloads/weather.mcpb');
 * for (const { pointer, message } of problems) console.log(pointer, message);
 * ```
 */
export async function readBundle(source: string | Uint8Array, limits: BundleLimits = {}): Promise<Bundle> {
  const most = { ...DEFAULT_LIMITS, ...limits };
  const bytes = typeof source === 'string' ? await fileBytes(source, most.bundleBytes) : Buffer.from(source);
  const { archive, hasSignature } = await openBundle(bytes, most);
  const entry = archive.find(MANIFEST);
  const checked = entry === undefined ? undefined : checkManifest(await parsedManifest(archive, most.manifestBytes));
  const missing: DocumentProblem = {
    severity: 'error',
    pointer: '',
    message:
      'The bundle has no manifest.json at its top: it is another kind of archive, or its files are in a folder of it.',
  };
  const problems = [...(checked?.problems ?? [missing])];
  const lost = checked?.manifest === undefined ? undefined : entryPointProblem(checked.manifest, archive);
  if (lost !== undefined) problems.push(lost);
  return {
    digest: `sha256:${sha256Of(bytes)}`,
    bytes,
    ...(checked?.manifest !== undefined && lost === undefined && { manifest: checked.manifest }),
    problems,
    files: archive.entries.filter(({ isFolder }) => !isFolder).length,
    unpackedBytes: archive.unpackedBytes,
    hasSignature,
  };
}

/** The archive of a bundle, checked as a whole. */
export async function openBundle(
  bytes: Buffer,
  limits: Required<BundleLimits>,
): Promise<{ archive: Archive; hasSignature: boolean }> {
  const split = splitSignature(bytes);
  return { archive: await Archive.open(split.archive, limits), hasSignature: split.hasSignature };
}

/** Reads one file descriptor to its end, so that a file which is replaced meanwhile is not mixed. */
async function fileBytes(path: string, limit: number): Promise<Buffer> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw new BundleError(
      'not-a-bundle',
      `The bundle ${shownName(path)} cannot be opened. Check the path and its permissions.`,
      { cause },
    );
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new BundleError('not-a-bundle', `The bundle ${shownName(path)} is not a file.`);
    if (stats.size > limit)
      throw new BundleError(
        'too-large',
        `The bundle ${shownName(path)} has ${stats.size} bytes, and at most ${limit} are allowed.`,
      );
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function parsedManifest(archive: Archive, limit: number): Promise<Json> {
  const entry = archive.find(MANIFEST);
  if (entry === undefined) return null;
  if (entry.bytes > limit)
    throw new BundleError(
      'too-large',
      `The bundle was refused: its manifest has ${entry.bytes} bytes, and at most ${limit} are allowed.`,
    );
  const chunks: Buffer[] = [];
  for await (const chunk of archive.read(entry)) chunks.push(chunk);
  try {
    return JSON.parse(UTF8.decode(Buffer.concat(chunks))) as Json;
  } catch {
    throw new BundleError(
      'not-a-bundle',
      'The bundle was refused: its manifest.json is not JSON in UTF-8. Tell its author.',
    );
  }
}

function entryPointProblem({ server }: ReadManifest, archive: Archive): DocumentProblem | undefined {
  const path = server.entry_point.replace(/^\.\//, '');
  if (archive.find(path) !== undefined || archive.find(`${path}.exe`) !== undefined) return undefined;
  return {
    severity: 'error',
    pointer: pointerOf('server', 'entry_point'),
    message: `The file ${shownName(path)} that starts the server is not in the bundle.`,
  };
}
