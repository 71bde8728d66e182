import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { officialFiles, officialNames } from '../official-paths.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const listed = JSON.parse(readFileSync(join(ROOT, 'docs/migration/missing-names.json'), 'utf8')) as Record<
  string,
  Record<string, string>
>;

/** Their file needs a package that is not installed here; ours does not. */
const UNREADABLE = 'validation/cfworker-provider.js';

const paths = officialFiles.filter((path) => path !== UNREADABLE);

const importAny = (specifier: string): Promise<Record<string, unknown>> =>
  import(/* @vite-ignore */ specifier) as Promise<Record<string, unknown>>;

describe('the paths of the official package', () => {
  it('are many', () => expect(paths.length).toBeGreaterThan(40));

  it.each(paths)('%s exports values of the same kinds', async (path) => {
    const theirs = await importAny(`@modelcontextprotocol/sdk/${path}`);
    const ours = await importAny(`@crosspoint/sdk/${path}`);
    const missing = Object.keys(listed[path] ?? {});
    const names = Object.keys(theirs).filter((name) => name !== 'default' && !missing.includes(name));
    const kinds = (module: Record<string, unknown>): Record<string, string> =>
      Object.fromEntries(names.map((name) => [name, typeof module[name]]));
    expect(kinds(ours)).toEqual(kinds(theirs));
  });

  it.each(officialNames.filter((path) => path !== 'validation/cfworker'))(
    '%s, without a file name, is the same as there',
    async (path) => {
      const names = (module: Record<string, unknown>): string[] =>
        Object.keys(module).filter((name) => name !== 'default');
      const ours = names(await importAny(`@crosspoint/sdk/${path}`));
      expect(
        names(await importAny(`@modelcontextprotocol/sdk/${path}`)).filter((name) => !ours.includes(name)),
      ).toEqual([]);
    },
  );

  it('lead to nothing else of this package', async () => {
    await expect(importAny('@crosspoint/sdk/internal/types/base.js')).rejects.toThrow(/not exported|Missing|resolve/);
  });
});
