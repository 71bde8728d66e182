import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProject } from '../src/index.ts';
import { EVERY } from './every-project.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const TEMPLATES = fileURLToPath(new URL('../templates/', import.meta.url));

/** Outside of the repository, whose settings must not count, with its packages. */
const made = mkdtempSync(join(tmpdir(), 'crosspoint-templates-'));
beforeAll(() => symlinkSync(join(ROOT, 'node_modules'), join(made, 'node_modules'), 'junction'));
afterAll(() => rmSync(made, { recursive: true, force: true }));

interface Manifest {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

const tool = (...path: string[]): string => join(ROOT, 'node_modules', ...path);

function node(cwd: string, ...args: string[]): { output: string; status: number | null } {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8', timeout: 60_000 });
  return { output: stdout + stderr, status };
}

describe.each(EVERY)('the template %s', (template, choices) => {
  const folder = join(made, template);
  const isTyped = choices.language === 'typescript';

  it('is a project that compiles, lints and passes its test', { timeout: 120_000 }, () => {
    createProject({ folder, ...choices });
    if (isTyped) expect(node(folder, tool('typescript', 'bin', 'tsc'))).toEqual({ output: '', status: 0 });
    expect(node(folder, tool('oxlint', 'bin', 'oxlint'), '--deny-warnings', 'src')).toMatchObject({ status: 0 });
    const tests = join(isTyped ? 'dist' : 'src', `${choices.kind}.test.js`);
    expect(node(folder, '--test', tests)).toMatchObject({ status: 0 });
  });

  it('has the scripts that its README names, for files that are there', () => {
    const { scripts } = manifestIn(join(TEMPLATES, template));
    const readme = readFileSync(join(TEMPLATES, template, 'README.md'), 'utf8');
    for (const [, script = ''] of readme.matchAll(/`npm (?:run )?(start|test|lint|build)/g))
      expect(scripts).toHaveProperty(script);
    for (const [, file = ''] of readme.matchAll(/`(src\/\S+|\.[\w/]+\.json)`/g))
      expect(existsSync(join(TEMPLATES, template, file)), file).toBe(true);
  });

  it('asks for the versions that this repository is tested with', () => {
    const { dependencies, devDependencies } = manifestIn(join(TEMPLATES, template));
    const ranges = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) => name !== 'crosspoint');
    expect(ranges).toEqual(ranges.map(([name]) => [name, `^${manifestIn(tool(name)).version}`]));
  });
});

it.each(EVERY.filter(([, { kind }]) => kind === 'client'))(
  'the program of %s talks to its example server',
  { timeout: 60_000 },
  (template, choices) => {
    const folder = join(made, `${template}-run`);
    createProject({ folder, ...choices });
    const isTyped = choices.language === 'typescript';
    if (isTyped) expect(node(folder, tool('typescript', 'bin', 'tsc')).output).toBe('');
    const { output, status } = node(folder, join(isTyped ? 'dist' : 'src', 'main.js'));
    expect(output).toMatch(/^example speaks \d{4}-\d\d-\d\d and has these tools:\n- greet: /);
    expect(output).toContain('Hello, Ada!');
    expect(status).toBe(0);
  },
);

const sources = EVERY.filter(([template]) => template.endsWith('-typescript')).flatMap(([template]) =>
  readdirSync(join(TEMPLATES, template, 'src')).map((name) => [template, name] as const),
);

it.each(sources)('%s: src/%s is the same program in JavaScript', async (template, name) => {
  const code = async (language: string, file: string): Promise<string> => {
    const text = readFileSync(join(TEMPLATES, template.replace(/typescript$/, language), 'src', file), 'utf8');
    return (await transform(text, { loader: 'ts', minifySyntax: true, minifyWhitespace: true })).code;
  };
  expect(await code('javascript', name.replace(/ts$/, 'js'))).toBe(await code('typescript', name));
});
