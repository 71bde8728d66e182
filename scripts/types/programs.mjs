// The programs of a cell: compiled, held against the errors that one of them must have, and run.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectText, node } from '../first-hour/folder.mjs';
import { PACKAGES, ROOT, entriesOf } from '../packages.mjs';
import { run } from '../runtimes/processes.mjs';

const PROGRAMS = join(ROOT, 'scripts', 'types', 'programs');
const COMPILE_MS = 180_000;

const PRINTED = {
  'main.js': '[[{"type":"text","text":"Hello, Ada!"}],"3.0"]',
  'old-paths.js': '[{"type":"text","text":"Hello, Ada!"}]',
  'mixed.mjs': '[true,[{"type":"text","text":"Hello, Ada!"}]]',
};

/** A program that imports every entry of every package, and does not compile when a value of one has no type. */
function everyEntry() {
  const specifiers = PACKAGES.flatMap((one) => entriesOf(one).map(({ specifier }) => specifier));
  return [
    'type Untyped<M> = { [Name in keyof M]: 0 extends 1 & M[Name] ? Name : never }[keyof M];',
    'type Typed<M> = [Untyped<M>] extends [never] ? true : Untyped<M>;',
    ...specifiers.map((specifier, at) => `import type * as entry${at} from '${specifier}';`),
    ...specifiers.map((_, at) => `export const typed${at}: Typed<typeof entry${at}> = true;`),
  ].join('\n');
}

const SOURCES = {
  ...Object.fromEntries(
    readdirSync(PROGRAMS)
      .filter((name) => /\.m?ts$/.test(name))
      .map((name) => [name, readFileSync(join(PROGRAMS, name), 'utf8')]),
  ),
  'every-entry.ts': everyEntry(),
};

/** `wrong.ts(3): TS2322` for every error that a line of the program names. */
const EXPECTED = SOURCES['wrong.ts']
  .split('\n')
  .flatMap((line, at) => [...line.matchAll(/TS\d+/g)].map(([code]) => `wrong.ts(${at + 1}): ${code}`));

/** The errors that are ours: those of the programs, in the same form, and whole those of our packages and of the settings. */
function errorsIn(output) {
  return output.split('\n').flatMap((line) => {
    const [, file = '', at, code] = /^(.*?)\((\d+),\d+\): error (TS\d+)/.exec(line) ?? [];
    if (file === 'src/wrong.ts') return [`wrong.ts(${at}): ${code}`];
    const isForeign =
      file.includes('node_modules/') && !/node_modules\/(?:@crosspoint\/|(?:create-)?crosspoint\/)/.test(file);
    return / error TS\d+|^error TS/.test(line) && !isForeign ? [line] : [];
  });
}

/**
 * Compiles the programs with the settings of a cell, in a folder beside `node_modules`, and runs what came of them.
 * @param {import('./cells.mjs').Cell} cell
 */
export async function tryCell({ version, type, isMixed, compilerOptions }, folder) {
  mkdirSync(join(folder, 'src'), { recursive: true });
  for (const [name, text] of Object.entries(SOURCES))
    if (isMixed || name.endsWith('.ts')) writeFileSync(join(folder, 'src', name), text);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  const tsc = join(folder, '..', 'node_modules', aliasOf(version), 'bin', 'tsc');
  const { output } = await run([process.execPath, tsc, '--pretty', 'false'], { cwd: folder, limitMs: COMPILE_MS });
  expectText(errorsIn(output).join('\n') || output, EXPECTED.join('\n'));
  for (const [name, printed] of Object.entries(PRINTED))
    if (isMixed || name.endsWith('.js')) expectText(await node([join('dist', name)], folder), printed);
}

/** The name under which a version of TypeScript is installed. */
export const aliasOf = (version) => `typescript-${version}`;
