import { crc32 } from 'node:zlib';
import { fromBufferPromise, type Entry, type LocalFileHeader, type ZipFile } from 'yauzl';
import { BundleError, shownName } from './bundle-error.ts';
import { RATIO_FREE_BYTES, type BundleLimits } from './bundle-limits.ts';
import { damaged, readEndRecord } from './end-record.ts';
import { foldedPath, segmentsOf } from './entry-path.ts';

const FLAG_ENCRYPTED = 0x2041;
const FLAG_SIZES_FOLLOW = 0x8;
/** Encrypted, sizes follow, UTF-8: flags that change the meaning of the rest. */
const FLAGS_THAT_COUNT = 0x2849;
const STORED = 0;
const DEFLATED = 8;
const DIRECTORY_ENTRY_BYTES = 46;
/** The longest record that may follow the bytes of an entry. */
const DESCRIPTOR_BYTES = 24;
const UNICODE_PATH = 0x7075;
const IN_ZIP64_FIELD = 0xffffffff;
const TYPE_BITS = 0o170000;
const TYPE_FOLDER = 0o040000;
const TYPE_FILE = 0o100000;

/** A file or folder of an archive, its name already checked. */
export interface ArchiveEntry {
  readonly segments: readonly string[];
  readonly isFolder: boolean;
  readonly isExecutable: boolean;
  readonly bytes: number;
  readonly crc32: number;
  /** The `Entry` that yauzl has read. Its type is not named here: programs that install this package do not have the types of yauzl. */
  readonly source: object;
}

/**
 * A zip archive of a stranger in memory. `open` reads every header and refuses the archive as a whole before a byte of it is unpacked; `read` gives a file
 * while holding its length and checksum against the list of entries.
 */
export class Archive {
  readonly entries: readonly ArchiveEntry[];
  readonly unpackedBytes: number;
  readonly #zip: ZipFile;

  private constructor(zip: ZipFile, entries: readonly ArchiveEntry[]) {
    this.#zip = zip;
    this.entries = entries;
    this.unpackedBytes = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  static async open(bytes: Buffer, limits: Required<BundleLimits>): Promise<Archive> {
    if (bytes.length > limits.bundleBytes) throw tooLarge('it has', bytes.length, limits.bundleBytes);
    const end = readEndRecord(bytes);
    if (end.entries > limits.entries) throw tooLarge('it has', end.entries, limits.entries, 'entries');
    if (end.directoryBytes > limits.directoryBytes)
      throw tooLarge('its list of entries has', end.directoryBytes, limits.directoryBytes);
    const zip = await fromBufferPromise(bytes, { decodeStrings: false, validateEntrySizes: true }).catch(asDamaged);
    const sources = await listedEntries(zip, end.directoryBytes);
    const entries = sources.map((source) => checkedEntry(source, limits));
    refuseCollisions(entries);
    const archive = new Archive(zip, entries);
    if (archive.unpackedBytes > limits.unpackedBytes)
      throw tooLarge('unpacked it has', archive.unpackedBytes, limits.unpackedBytes);
    await refuseOverlaps(zip, sources, end.directoryStart);
    return archive;
  }

  /** The file with exactly this path. */
  find(path: string): ArchiveEntry | undefined {
    return this.entries.find(({ segments, isFolder }) => !isFolder && segments.join('/') === path);
  }

  /** The bytes of a file. Throws as soon as they are more than the entry says, and at the end when they are fewer or others. */
  async *read(entry: ArchiveEntry): AsyncGenerator<Buffer, void, undefined> {
    const stream = await this.#zip.openReadStreamPromise(entry.source as Entry).catch(asDamaged);
    let length = 0;
    let sum = 0;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        length += chunk.length;
        if (length > entry.bytes) break;
        sum = crc32(chunk, sum);
        yield chunk;
      }
    } catch (error) {
      asDamaged(error);
    }
    if (length !== entry.bytes || sum !== entry.crc32)
      throw damaged(`the bytes of ${shownName(entry.segments.join('/'))} are not those that it lists`);
  }
}

function tooLarge(subject: string, found: number, limit: number, unit = 'bytes'): BundleError {
  return new BundleError(
    'too-large',
    `The bundle was refused: ${subject} ${found} ${unit}, and at most ${limit} are allowed. If it is from a source that you trust, raise the limit.`,
  );
}

function asDamaged(cause: unknown): never {
  if (cause instanceof BundleError) throw cause;
  throw damaged('it cannot be read to its end', { cause });
}

/** Every entry of the list, whose length has to be the sum of theirs: no entry is hidden behind a smaller number. */
async function listedEntries(zip: ZipFile, directoryBytes: number): Promise<Entry[]> {
  const found: Entry[] = [];
  let bytes = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      found.push(entry);
      bytes += DIRECTORY_ENTRY_BYTES + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
      if (bytes > directoryBytes) break;
    }
  } catch (error) {
    asDamaged(error);
  }
  if (bytes !== directoryBytes) throw damaged('its list of entries does not have the length that it says');
  return found;
}

function checkedEntry(source: Entry, limits: Required<BundleLimits>): ArchiveEntry {
  const name = decodedName(source);
  const segments = segmentsOf(name);
  const isFolder = name.endsWith('/');
  const refuse = (fault: string): BundleError =>
    new BundleError(
      'unsafe-entry',
      `The bundle was refused: ${shownName(name)} in it ${fault}. Do not use this bundle; tell its author.`,
    );
  if ((source.generalPurposeBitFlag & FLAG_ENCRYPTED) !== 0) throw refuse('is encrypted');
  if (source.compressionMethod !== STORED && source.compressionMethod !== DEFLATED)
    throw refuse(`is packed by method ${source.compressionMethod}, which is not known here`);
  const mode = source.externalFileAttributes >>> 16;
  const type = mode & TYPE_BITS;
  if (type !== 0 && type !== (isFolder ? TYPE_FOLDER : TYPE_FILE))
    throw refuse('is a link, a device, or another thing that is neither file nor folder');
  const { uncompressedSize: bytes, compressedSize } = source;
  if (isFolder && bytes !== 0) throw refuse('is a folder with bytes');
  if (bytes > limits.fileBytes) throw tooLarge(`the file ${shownName(name)} has`, bytes, limits.fileBytes);
  if (bytes > RATIO_FREE_BYTES && bytes > compressedSize * limits.ratio)
    throw tooLarge(
      `the file ${shownName(name)} grows to`,
      Math.round(bytes / Math.max(1, compressedSize)),
      limits.ratio,
      'times its size',
    );
  return { segments, isFolder, isExecutable: (mode & 0o111) !== 0, bytes, crc32: source.crc32, source };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The name by its bytes alone. A second name in an extra field is refused where it differs: programs disagree on which one counts. */
function decodedName(source: Entry): string {
  const raw = source.fileNameRaw;
  const second = source.extraFields.find(({ id }) => id === UNICODE_PATH);
  if (second !== undefined && !second.data.subarray(5).equals(raw)) throw damaged('an entry has two names');
  try {
    return UTF8.decode(raw);
  } catch {
    throw new BundleError(
      'unsafe-path',
      'The bundle was refused: the name of an entry is not UTF-8. Tell its author to pack it with UTF-8 names.',
    );
  }
}

/** Refuses names that are one file, or a file and a folder, on a file system that ignores case. */
function refuseCollisions(entries: readonly ArchiveEntry[]): void {
  const seen = new Map<string, { readonly path: string; readonly isFolder: boolean; readonly isListed: boolean }>();
  for (const { segments, isFolder } of entries)
    for (let length = 1; length <= segments.length; length += 1) {
      const part = segments.slice(0, length);
      const isListed = length === segments.length;
      const now = { path: part.join('/'), isFolder: isListed ? isFolder : true, isListed };
      const key = foldedPath(part);
      const before = seen.get(key);
      if (
        before !== undefined &&
        (before.path !== now.path || !before.isFolder || !now.isFolder || (before.isListed && isListed))
      )
        throw new BundleError(
          'unsafe-entry',
          `The bundle was refused: ${shownName(before.path)} and ${shownName(now.path)} in it are the same file on some systems. Tell its author.`,
        );
      seen.set(key, { ...now, isListed: isListed || before?.isListed === true });
    }
}

/**
 * Refuses bytes that two entries share, that no entry owns, or that a local header describes otherwise than the list: programs that read only one of the two
 * would see another archive.
 */
async function refuseOverlaps(zip: ZipFile, sources: readonly Entry[], directoryStart: number): Promise<void> {
  let position = 0;
  let slack = 0;
  for (const source of sources.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    const gap = source.relativeOffsetOfLocalHeader - position;
    if (gap < 0) throw damaged('two entries share the same bytes');
    if (gap > slack) throw damaged('it has bytes that belong to no entry');
    const local = await zip.readLocalFileHeaderPromise(source).catch(asDamaged);
    if (!agrees(source, local)) throw damaged('an entry and its header differ');
    position = local.fileDataStart + source.compressedSize;
    slack = (source.generalPurposeBitFlag & FLAG_SIZES_FOLLOW) === 0 ? 0 : DESCRIPTOR_BYTES;
  }
  const rest = directoryStart - position;
  if (rest < 0) throw damaged('an entry reaches into the list of entries');
  if (rest > slack) throw damaged('it has bytes that belong to no entry');
}

function agrees(source: Entry, local: LocalFileHeader): boolean {
  const same = (mine: number, listed: number): boolean => mine === listed || mine === IN_ZIP64_FIELD;
  const describes =
    local.fileName.equals(source.fileNameRaw) &&
    local.compressionMethod === source.compressionMethod &&
    ((local.generalPurposeBitFlag ^ source.generalPurposeBitFlag) & FLAGS_THAT_COUNT) === 0;
  if (!describes || (source.generalPurposeBitFlag & FLAG_SIZES_FOLLOW) !== 0) return describes;
  return (
    local.crc32 === source.crc32 &&
    same(local.compressedSize, source.compressedSize) &&
    same(local.uncompressedSize, source.uncompressedSize)
  );
}
