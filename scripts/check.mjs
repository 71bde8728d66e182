// Everything that must hold before a change is done, in order, one line each. --fast leaves out the tests and the steps that read their report.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { PACKAGES, ROOT as root } from './packages.mjs';

const tool = (...path) => join(root, 'node_modules', ...path);
const tsc = tool('typescript', 'bin', 'tsc');

const STEPS = [
  {
    name: 'format',
    script: tool('oxfmt', 'bin', 'oxfmt'),
    args: ['--check', 'packages', 'examples', 'runtimes', 'scripts', 'conformance', 'bench', 'fuzz', 'site'],
  },
  {
    name: 'lint',
    script: tool('oxlint', 'bin', 'oxlint'),
    args: ['--type-aware', 'packages', 'examples', 'runtimes', 'scripts', 'conformance', 'bench', 'fuzz', 'site'],
  },
  ...PACKAGES.filter(({ isNeutral }) => isNeutral).map(({ name, folder }) => ({
    name: `types without Node: ${name}`,
    script: tsc,
    args: ['-p', join(folder, 'tsconfig.neutral.json')],
  })),
  { name: 'build', script: tsc, args: ['-b'] },
  ...PACKAGES.map(({ name, folder }) => ({
    name: `types of the tests: ${name}`,
    script: tsc,
    args: ['-p', join(folder, 'tsconfig.test.json')],
  })),
  { name: 'tests', script: tool('vitest', 'vitest.mjs'), args: ['run'], slow: true },
  { name: 'bundle', script: join(root, 'scripts', 'bundle.mjs'), args: [] },
  ...PACKAGES.flatMap(({ name, folder: cwd }) => [
    { name: `publint: ${name}`, script: tool('publint', 'src', 'cli.js'), args: ['--strict', '.'], cwd },
    {
      name: `types of the package: ${name}`,
      script: tool('@arethetypeswrong', 'cli', 'dist', 'index.js'),
      args: ['--pack', '.', '--exclude-entrypoints', 'package.json'],
      cwd,
    },
  ]),
  { name: 'unused code', script: tool('knip', 'bin', 'knip.js'), args: ['--no-progress'] },
  { name: 'requirements', script: join(root, 'scripts', 'requirements.mjs'), args: [], slow: true },
];

/** Runs a step. Its output is shown only when it fails, so that a good run is read at a glance. */
function run({ script, args, cwd = root }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    });
    let output = '';
    const keep = (chunk) => {
      output += chunk;
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output: stripVTControlCharacters(output) }));
  });
}

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const fast = process.argv.includes('--fast');
const steps = STEPS.filter((step) => !(fast && step.slow));
const width = Math.max(...steps.map(({ name }) => name.length));
const started = performance.now();
const failed = [];

for (const step of steps) {
  const since = performance.now();
  const { ok, output } = await run(step);
  console.log(`${ok ? 'ok  ' : 'FAIL'}  ${step.name.padEnd(width)}  ${seconds(since).padStart(7)}`);
  if (ok) continue;
  failed.push(step.name);
  console.log(output.trimEnd().replaceAll(/^/gm, '      '));
}

const left = STEPS.length - steps.length;
console.log(
  `\n${steps.length - failed.length} of ${steps.length} checks passed in ${seconds(started)}${left > 0 ? `; ${left} left out` : ''}.`,
);
if (failed.length > 0) {
  console.log(`Failed: ${failed.join(', ')}.`);
  process.exitCode = 1;
}
