import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, docBlocks } from './doc-blocks.ts';

/** Every TypeScript block of the pages, as a file of its own that says where it came from. */
function writeBlocks(folder: string): number {
  const blocks = docBlocks().filter(({ language }) => language === 'ts');
  for (const { name, code } of blocks) writeFileSync(join(folder, `${name}.ts`), `${code}\nexport {};\n`);
  return blocks.length;
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
