import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROOT, docBlocks, type DocBlock } from './doc-blocks.ts';

const FOLDER = join(ROOT, '.cache', 'doc-examples');
const examples = docBlocks().filter(({ runs }) => runs);

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The block as a program of its own, which imports the built package by its name. */
async function run({ name, code }: DocBlock): Promise<Ran> {
  const file = join(FOLDER, `${name}.mjs`);
  const { code: javascript } = await transform(code, { loader: 'ts', format: 'esm', target: 'node20' });
  writeFileSync(file, javascript);
  return new Promise((resolve, reject) => {
    // What a terminal wishes for must not colour what is compared.
    const { FORCE_COLOR: _forced, ...env } = process.env;
    const child = spawn(process.execPath, [file], {
      cwd: FOLDER,
      env: { ...env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const patience = setTimeout(() => child.kill('SIGKILL'), 60_000);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    child.on('error', reject);
    child.on('close', (exitCode) => {
      clearTimeout(patience);
      resolve({ code: exitCode, stdout, stderr });
    });
  });
}

describe('the examples in the documentation that say they are run', () => {
  beforeAll(() => {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
  });

  it('say what they print', () => {
    expect(examples.length).toBeGreaterThan(10);
    expect(examples.filter(({ output }) => output === undefined).map(({ name }) => name)).toEqual([]);
  });

  it('are on every page of the guide', () => {
    const run = new Set(examples.map(({ page }) => page));
    const pages = readdirSync(join(ROOT, 'docs/guide'));
    expect(pages.filter((name) => !run.has(join('docs/guide', name)))).toEqual([]);
  });

  it.each(examples.map((example) => [example.page, example] as const))(
    '%s',
    { timeout: 90_000 },
    async (_page, example) => {
      const { code, stdout, stderr } = await run(example);
      expect({ stdout, stderr, code }).toEqual({ stdout: example.output, stderr: '', code: 0 });
    },
  );
});
