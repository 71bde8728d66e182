import { visibleLine } from '@crosspoint/host';
import { TrustBook, type ConfigFile, type TrustState } from '@crosspoint/host/config';
import type { CommandContext } from '../../context.ts';
import type { Colours } from '../../output/colours.ts';
import { tableText } from '../../output/table.ts';
import { withStore } from '../../place/open-store.ts';
import { readUserConfiguration } from '../../target/user-configuration.ts';
import { readRepositoryFile } from './read-repository-file.ts';

export interface TrustedFile {
  readonly file: string;
  readonly state: TrustState | 'missing';
  /** Of the content as it is now. */
  readonly digest?: string;
  /** When it was trusted. */
  readonly at?: string;
  readonly servers: readonly string[];
}

/** The files that are trusted, and those of this folder that could be. */
export async function listTrust({ home, io }: CommandContext): Promise<readonly TrustedFile[]> {
  const { files } = await readUserConfiguration({ home, cwd: io.cwd, env: io.env });
  const here = files.filter(({ scope }) => scope === 'project');
  return withStore(home, async (store) => {
    const trust = new TrustBook(store);
    const records = await trust.list();
    const known = await Promise.all(
      records.map(async ({ file, at, servers }): Promise<TrustedFile> => {
        const now = await readRepositoryFile(file);
        return now === undefined ? { file, state: 'missing', at, servers } : { ...(await trusted(now, trust)), at };
      }),
    );
    const unknown = here.filter(({ file }) => !records.some((record) => record.file === file));
    return [...known, ...(await Promise.all(unknown.map((file) => trusted(file, trust))))];
  });
}

async function trusted(file: ConfigFile, trust: TrustBook): Promise<TrustedFile> {
  const { digest, entries } = file;
  return { file: file.file, state: await trust.stateOf(file), digest, servers: entries.map(({ name }) => name) };
}

const WORDS: Readonly<Record<TrustedFile['state'], string>> = {
  trusted: 'trusted',
  unknown: 'not trusted',
  changed: 'changed since',
  missing: 'missing',
};

export function trustText(files: readonly TrustedFile[], { green, yellow }: Colours): string {
  if (files.length === 0) return 'No file is trusted, and this folder has none.';
  return tableText(
    files.map(({ file, state, servers }) => [
      (state === 'trusted' ? green : yellow)(WORDS[state]),
      visibleLine(file),
      visibleLine(servers.join(', ')),
    ]),
  );
}
