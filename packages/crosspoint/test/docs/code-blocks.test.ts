import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const FENCE = /^```ts\n([\s\S]*?)^```/gm;

function pages(): string[] {
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  return [join(ROOT, 'README.md'), ...docs.map((name) => join(ROOT, 'docs', name))];
}

/** Every TypeScript block of the pages, as a file of its own that says where it came from. */
function writeBlocks(folder: string): number {
  let count = 0;
  for (const page of pages()) {
    for (const [, code] of readFileSync(page, 'utf8').matchAll(FENCE)) {
      count += 1;
      const name = `${relative(ROOT, page).replaceAll(/[^A-Za-z0-9]+/g, '-')}-${count}.ts`;
      writeFileSync(join(folder, name), `${code}\nexport {};\n`);
    }
  }
  return count;
}

describe('the code in the documentation', () => {
  it('compiles as it stands, against the built package', { timeout: 120_000 }, () => {
    const folder = join(ROOT, '.cache', 'doc-blocks');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    expect(writeBlocks(folder)).toBeGreaterThan(2);
    const compilerOptions = {
      target: 'ES2023',
      lib: ['ES2023', 'DOM'],
      module: 'NodeNext',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const { stdout, status } = spawnSync(
      process.execPath,
      [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder],
      { encoding: 'utf8' },
    );
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });
});
