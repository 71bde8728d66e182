import {
  convertConfiguration,
  FILE_FORMATS,
  separateSecrets,
  type FileFormatId,
  type LostField,
  type Problem,
  type ServerEntry,
} from '@crosspoint/host/config';
import type { SourceFile } from './read-source.ts';

/** A configuration in another format. */
export interface ConvertedServers {
  readonly text: string;
  readonly lost: readonly LostField[];
  readonly problems: readonly Problem[];
}

export interface ConvertOptions {
  readonly to: FileFormatId;
  /** Whether secrets that are written into the file are written into the other, too; otherwise each becomes a reference to a variable. */
  readonly withSecrets: boolean;
  /** The only servers that are taken; all when absent. */
  readonly names?: readonly string[] | undefined;
  /** The folder whose local servers are read from `~/.claude.json`. */
  readonly folder: string;
}

/** Converts a configuration. Without `withSecrets` no secret is in the text. */
export function convertServers(source: SourceFile, options: ConvertOptions): ConvertedServers {
  const { to, withSecrets, names, folder } = options;
  const place = { file: source.file, scope: source.scope, folder };
  if (withSecrets && names === undefined)
    return convertConfiguration({ ...place, text: source.text, format: source.format }, to);
  const { problems, digest: _digest, ...document } = FILE_FORMATS[source.format].read(source.text, place);
  const lost: LostField[] = [];
  const chosen = document.entries.filter(({ name }) => names === undefined || names.includes(name));
  const isClean = chosen.every((entry) => withSecrets || !hasSecrets(entry));
  if (isClean) {
    const text = FILE_FORMATS[source.format].write({ ...document, entries: chosen }).text;
    return { ...convertConfiguration({ ...place, text, format: source.format }, to), problems };
  }
  // References differ between formats, and one has none: secrets become references of ours on the way.
  const own = toOwn(FILE_FORMATS[source.format].write({ ...document, entries: chosen }).text, { ...source, ...place });
  const { digest: _own, problems: _none, ...middle } = FILE_FORMATS.crosspoint.read(own.text);
  const entries = middle.entries.map((entry) => withVariables(entry, chosen, lost));
  const text = FILE_FORMATS.crosspoint.write({ ...middle, entries }).text;
  const converted = convertConfiguration({ text, format: 'crosspoint' }, to);
  const inSource = converted.lost.map((one) => atSource(one, chosen, source.format));
  return { text: converted.text, lost: [...own.lost, ...lost, ...inSource], problems };
}

/** A lost field as it stood in the file that was read, in place of the one on the way. */
function atSource(
  { pointer, server, why }: LostField,
  sources: readonly ServerEntry[],
  format: FileFormatId,
): LostField {
  const entry = sources.find(({ name }) => name === server);
  if (server === undefined || entry?.origin.pointer === undefined) return { pointer, why };
  const [, , , ...rest] = pointer.split('/');
  const isOther = rest[0] === 'extra' && rest[1] === format;
  const words = isOther ? `Only ${FILE_FORMATS[format].title} has this member.` : why;
  return { pointer: [entry.origin.pointer, ...(isOther ? rest.slice(2) : rest)].join('/'), server, why: words };
}

function toOwn(
  text: string,
  source: SourceFile & { readonly folder: string },
): { text: string; lost: readonly LostField[] } {
  const { file, scope, folder, format } = source;
  return convertConfiguration({ file, scope, folder, text, format }, 'crosspoint');
}

function hasSecrets(entry: ServerEntry): boolean {
  let isFound = false;
  separateSecrets(entry, ({ value }) => {
    isFound = true;
    return value;
  });
  return isFound;
}

/** The entry with a variable in place of each secret. */
function withVariables(entry: ServerEntry, sources: readonly ServerEntry[], lost: LostField[]): ServerEntry {
  const pointer = sources.find(({ name }) => name === entry.name)?.origin.pointer ?? '';
  return separateSecrets(entry, ({ server, path }) => {
    const name = path[0] === 'env' ? String(path[1]) : variableName([server, ...path]);
    const place = path[0] === 'other' ? path.slice(1) : path;
    const why = `A secret is not written: set the environment variable ${name} in its place.`;
    lost.push({ pointer: `${pointer}/${place.join('/')}`, server, why });
    return `\${env:${name}}`;
  });
}

function variableName(words: readonly (string | number)[]): string {
  const name = words.join('_').replaceAll(/\W+/g, '_').toUpperCase();
  return /^\d/.test(name) ? `_${name}` : name;
}
