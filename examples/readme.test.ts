import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('./', import.meta.url));
const rows = readFileSync(`${folder}README.md`, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ['));

test('the list of examples names each folder, a file of it, and a program that is there', () => {
  const named = rows.map((row) => /^\| \[([^\]]+)\]\(([^)]+)\)/.exec(row)?.slice(1) ?? []);
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(named.map(([name]) => name).sort()).toEqual(
    folders
      .map(({ name }) => name)
      .filter((name) => name !== 'dist')
      .sort(),
  );
  for (const [name, file] of named) expect(file?.startsWith(`${name}/`) && existsSync(folder + file), file).toBe(true);
  for (const [, program] of rows.join('\n').matchAll(/`node examples\/(\S+?)[` ]/g)) {
    const source = program?.replace(/^dist\/(.*)\.js$/, '$1.ts') ?? '';
    expect(existsSync(folder + source), source).toBe(true);
  }
});
