import type { FileFormatId } from '../formats/format.ts';
import type { ConfigScope, ServerEntry } from '../server-entry.ts';
import type { ConfigFile } from './config-file.ts';

/** An entry that is not used because another one is. */
export interface ShadowedEntry {
  readonly entry: ServerEntry;
  /** The entry in its place; absent where a managed file excludes it. */
  readonly by?: ServerEntry;
  readonly why: string;
}

export interface Merged {
  readonly entries: readonly ServerEntry[];
  readonly shadowed: readonly ShadowedEntry[];
}

/**
 * Which scope wins within one program, the first first. Claude Code, VS Code and Cursor as they document it. In ours, the user's own file wins: a
 * repository cannot take the name of a server that the user has configured.
 */
const PRECEDENCE: Readonly<Record<FileFormatId, readonly ConfigScope[]>> = {
  'claude-code': ['local', 'project', 'user'],
  vscode: ['project', 'user'],
  cursor: ['project', 'user'],
  'claude-desktop': ['user'],
  crosspoint: ['program', 'local', 'user', 'project'],
};

/**
 * Makes one list of the entries of all files. A whole entry wins, and nothing of another is mixed in. A managed file excludes all others of its
 * program, and that of Crosspoint those of every program. Among programs, an entry of the user wins over one of a repository, and then the
 * program that comes first in `formats`.
 */
export function mergeFiles(files: readonly ConfigFile[], formats: readonly FileFormatId[]): Merged {
  const shadowed: ShadowedEntry[] = [];
  const isManaged = (format: FileFormatId): boolean =>
    files.some((file) => file.scope === 'managed' && file.format === format);
  const winners = formats.flatMap((format) => {
    const entries = files.filter((file) => file.format === format).flatMap((file) => file.entries);
    const owner = isManaged('crosspoint') ? 'crosspoint' : isManaged(format) ? format : undefined;
    const [allowed, excluded] = parted(
      entries,
      ({ origin }) => owner === undefined || (origin.scope === 'managed' && origin.format === owner),
    );
    for (const entry of excluded) shadowed.push({ entry, why: `A managed file of ${String(owner)} excludes it.` });
    return firstOfEach(
      byRank(allowed, ({ origin }) => rankOf(format, origin.scope)),
      shadowed,
      `Within ${format}, ${PRECEDENCE[format].join(' comes before ')}.`,
    );
  });
  const ranked = byRank(winners, ({ origin }) => (origin.scope === 'project' ? 1 : 0));
  const entries = firstOfEach(
    ranked,
    shadowed,
    'Another program has a server of this name; those of the user come first.',
  );
  return { entries, shadowed };
}

function rankOf(format: FileFormatId, scope: ConfigScope): number {
  const rank = PRECEDENCE[format].indexOf(scope);
  return rank === -1 ? PRECEDENCE[format].length : rank;
}

/** In the order of their ranks; those of one rank stay in their order. */
function byRank(entries: readonly ServerEntry[], rank: (entry: ServerEntry) => number): ServerEntry[] {
  return entries.toSorted((one, other) => rank(one) - rank(other));
}

function firstOfEach(entries: readonly ServerEntry[], shadowed: ShadowedEntry[], why: string): ServerEntry[] {
  const byName = new Map<string, ServerEntry>();
  for (const entry of entries) {
    const by = byName.get(entry.name);
    if (by === undefined) byName.set(entry.name, entry);
    else shadowed.push({ entry, by, why });
  }
  return [...byName.values()];
}

function parted<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter((item) => isFirst(item)), items.filter((item) => !isFirst(item))];
}
