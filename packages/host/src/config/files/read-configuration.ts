import { homedir } from 'node:os';
import { readBoundedFile } from '../bounded-file.ts';
import { detectFormat } from '../formats/detect-format.ts';
import type { FileFormatId } from '../formats/format.ts';
import { FILE_FORMATS } from '../formats/formats.ts';
import { contentDigest } from '../formats/read-file.ts';
import type { Problem, ProblemCode } from '../problem.ts';
import type { ConfigScope, InputDefinition } from '../server-entry.ts';
import type { ConfigFile, FileLocation } from './config-file.ts';
import { fileLocations, type Surroundings } from './locations.ts';
import { mergeFiles, type Merged } from './merge.ts';

/** A file that the program names itself. */
export interface NamedFile {
  /** Absolute path. */
  readonly file: string;
  /** Found from the path and the content when absent. */
  readonly format?: FileFormatId;
  /** `project` when absent: its servers need the user's trust. */
  readonly scope?: ConfigScope;
}

export interface ReadConfigurationOptions extends Partial<Surroundings> {
  /** The programs whose files are read, the one whose servers win first. All five when absent, Crosspoint first; `[]` for none. */
  readonly formats?: readonly FileFormatId[];
  /** More files to read. */
  readonly files?: readonly NamedFile[];
  /** Largest file in bytes. When absent: 1 MiB for files of a repository, 16 MiB for others, because `~/.claude.json` holds more than servers. */
  readonly maxFileBytes?: number;
  /** Reads a file; rejects with the code `ENOENT` when there is none. From the disk when absent. */
  readFile?(path: string, maxBytes: number): Promise<string>;
}

export interface Configuration extends Merged {
  readonly inputs: readonly InputDefinition[];
  readonly problems: readonly Problem[];
  /** Every file that was found, with what it said. Trust is given to one of these. */
  readonly files: readonly ConfigFile[];
}

/** The programs in the order in which their servers win. */
const FORMATS: readonly FileFormatId[] = ['crosspoint', 'claude-code', 'vscode', 'cursor', 'claude-desktop'];
const MAX_PROJECT_BYTES = 1024 * 1024;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MISSING = ['ENOENT', 'ENOTDIR'];

/**
 * Reads the configuration files of all programs, each once, and joins their servers by the documented precedence. Nothing else is read,
 * nothing expanded and nothing started. A file that cannot be read is a problem, and takes nothing away from the others.
 *
 * ```ts
 * const { entries, problems, shadowed } = await readConfiguration({ folder: process.cwd() });
 * ```
 */
export async function readConfiguration(options: ReadConfigurationOptions = {}): Promise<Configuration> {
  const formats = options.formats ?? FORMATS;
  const place: Surroundings = {
    home: options.home ?? homedir(),
    platform: options.platform ?? process.platform,
    env: options.env ?? process.env,
    ...(options.folder !== undefined && { folder: options.folder }),
  };
  const named = (options.files ?? []).map((file) => ({ ...file, scope: file.scope ?? 'project' }));
  const places = distinct([...named, ...fileLocations(place, formats)]);
  const files: ConfigFile[] = [];
  const problems: Problem[] = [];
  for (const location of places) {
    const read = await readOne(location, place, options);
    if (read === undefined) continue;
    if ('entries' in read) files.push(read);
    problems.push(...read.problems);
  }
  const all = [...new Set([...formats, ...files.map(({ format }) => format)])];
  return { ...mergeFiles(files, all), inputs: files.flatMap(({ inputs }) => inputs), problems, files };
}

type Place = Omit<FileLocation, 'format'> & { readonly format?: FileFormatId };

/** Each path once: a file of the user that also lies in the folder stays the user's. */
function distinct(places: readonly Place[]): Place[] {
  const seen = new Set<string>();
  return places
    .toSorted((one, other) => Number(one.scope === 'project') - Number(other.scope === 'project'))
    .filter(({ file }) => !seen.has(file) && seen.add(file));
}

async function readOne(
  { file, scope, format }: Place,
  { folder }: Surroundings,
  options: ReadConfigurationOptions,
): Promise<ConfigFile | Pick<ConfigFile, 'problems'> | undefined> {
  let text: string;
  try {
    const { maxFileBytes = scope === 'project' ? MAX_PROJECT_BYTES : MAX_FILE_BYTES } = options;
    text = await (options.readFile?.(file, maxFileBytes) ?? readBoundedFile(file, maxFileBytes));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (MISSING.includes(code)) return undefined;
    const words = error instanceof Error && code === '' ? error.message : code;
    return unread({ file, scope, ...(format && { format }) }, 'unreadable', `The file cannot be read: ${words}.`);
  }
  const found = format ?? detectFormat(file, text);
  if (found === undefined)
    return unread({ file, scope }, 'unknown-format', 'The format of the file cannot be told: name it.');
  const { entries, inputs, problems, digest } = FILE_FORMATS[found].read(text, {
    file,
    scope,
    ...(folder !== undefined && { folder }),
  });
  return { file, format: found, scope, digest, entries, inputs, problems };
}

/** A file without entries. A managed one still excludes all others. */
function unread(place: Place, code: ProblemCode, message: string): ConfigFile | Pick<ConfigFile, 'problems'> {
  const problems: Problem[] = [{ severity: 'error', code, message, file: place.file }];
  const { file, scope, format } = place;
  return format === undefined
    ? { problems }
    : { file, format, scope, digest: contentDigest(''), entries: [], inputs: [], problems };
}
