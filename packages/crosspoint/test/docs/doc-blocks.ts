import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../../../../', import.meta.url));

/** Programs of the documentation. A block that is to be run says so after its language, and what it prints may follow in a block of its own. */
const FENCE = /^```(ts|js)( run)?\n([\s\S]*?)^```(?:\n+```output\n([\s\S]*?)^```)?/gm;

export interface DocBlock {
  /** The page and which block of it, as a file could be called. */
  readonly name: string;
  readonly page: string;
  readonly language: 'ts' | 'js';
  readonly code: string;
  readonly runs: boolean;
  readonly output: string | undefined;
}

export function docBlocks(): DocBlock[] {
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  const pages = [
    'README.md',
    join('packages', 'crosspoint', 'README.md'),
    ...docs.sort().map((name) => join('docs', name)),
  ];
  return pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(FENCE)].map(([, language, run, code = '', output], at) => ({
      name: `${relative('.', page).replaceAll(/[^A-Za-z0-9]+/g, '-')}-${at + 1}`,
      page,
      language: language === 'js' ? ('js' as const) : ('ts' as const),
      code,
      runs: run !== undefined,
      output,
    })),
  );
}
