import {
  convertConfiguration,
  FILE_FORMATS,
  readConfiguration,
  type FileFormatId,
  type InputDefinition,
  type LostField,
  type Problem,
  type ServerEntry,
} from '@crosspoint/host/config';
import { readFile, stat } from 'node:fs/promises';
import type { SourceFile } from './read-source.ts';

/** A server of another host, as it would stand in our own configuration. */
export interface FoundServer {
  readonly entry: ServerEntry;
  /** The file that it was found in. */
  readonly file: string;
}

export interface FoundServers {
  /** Those that win first. */
  readonly servers: readonly FoundServer[];
  readonly inputs: readonly InputDefinition[];
  readonly lost: readonly (LostField & { readonly file: string })[];
  readonly problems: readonly Problem[];
  readonly files: readonly string[];
}

/** The other hosts, in the order in which their servers win. */
const OTHERS: readonly FileFormatId[] = ['claude-code', 'vscode', 'cursor', 'claude-desktop'];

interface Surroundings {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A file that is not another's. */
  readonly except: string;
}

/** The servers of other hosts, or those of one file. Nothing is started. */
export async function foundElsewhere(
  { folder, env, except }: Surroundings,
  named: SourceFile | undefined,
): Promise<FoundServers> {
  const { sources, problems } =
    named === undefined ? await sourcesOf({ folder, env, except }) : { sources: [named], problems: [] };
  const servers: FoundServer[] = [];
  const inputs: InputDefinition[] = [];
  const lost: (LostField & { file: string })[] = [];
  const found: Problem[] = [...problems];
  for (const { file, text, format } of sources) {
    const converted = convertConfiguration({ file, scope: 'user', folder, text, format }, 'crosspoint');
    const own = FILE_FORMATS.crosspoint.read(converted.text, { scope: 'user' });
    servers.push(...own.entries.map((entry) => ({ entry, file })));
    inputs.push(...own.inputs);
    lost.push(...converted.lost.map((one) => ({ ...one, file })));
    if (named !== undefined) found.push(...converted.problems);
  }
  return { servers, inputs, lost: lost.filter(isAboutServer), problems: found, files: sources.map(({ file }) => file) };
}

/** `~/.claude.json` is the state of its program, of which nothing is about a server. */
function isAboutServer({ server, why }: LostField): boolean {
  return server !== undefined || !why.startsWith('It is state of');
}

async function sourcesOf({
  folder,
  env,
  except,
}: Surroundings): Promise<{ sources: SourceFile[]; problems: readonly Problem[] }> {
  const texts = new Map<string, string>();
  const { files, problems } = await readConfiguration({
    formats: OTHERS,
    folder,
    env,
    readFile: async (path, maxBytes) => {
      if ((await stat(path)).size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
      const text = await readFile(path, 'utf8');
      texts.set(path, text);
      return text;
    },
  });
  const sources = files.flatMap(({ file, format, scope }) => {
    const text = texts.get(file);
    return text === undefined || file === except ? [] : [{ file, text, format, scope }];
  });
  return { sources, problems };
}
