// Changes the sources one small place at a time and runs the tests that reach it: a change that no test notices is a rule that nobody tests.
// npm run mutation -- [sealing guards …] [--fresh] [--survivors] [--concurrency 2]   all folders without a name; see docs/mutation.md
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chosen } from './mutation/folders.mjs';
import { installTool, TOOL } from './mutation/install.mjs';
import { countsOf, rowOf, survivorsOf } from './mutation/report.mjs';
import { settingsFor } from './mutation/settings.mjs';
import { ROOT } from './packages.mjs';

/** Percent of the changes of a folder that its tests must notice. */
const LEAST = 85;
const WORK = join(ROOT, '.cache', 'mutation');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fresh: { type: 'boolean', default: false },
    survivors: { type: 'boolean', default: false },
    concurrency: { type: 'string', default: '2' },
  },
});

function chosenOrEnd() {
  try {
    return chosen(positionals);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

/** Runs the tool for one folder and returns its report. */
async function mutate(name) {
  const settings = settingsFor(name, { work: WORK, concurrency: Number(values.concurrency) });
  if (values.fresh) rmSync(settings.incrementalFile, { force: true });
  const file = join(WORK, `${name}.json`);
  writeFileSync(file, JSON.stringify(settings, undefined, 2));
  const child = spawn(process.execPath, [TOOL, 'run', file], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, MUTATED_FOLDER: name },
  });
  const code = await new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject));
  if (code !== 0 || !existsSync(settings.jsonReporter.fileName))
    throw new Error(`The run of ${name} failed (${code}).`);
  return JSON.parse(readFileSync(settings.jsonReporter.fileName, 'utf8'));
}

const names = chosenOrEnd();
mkdirSync(WORK, { recursive: true });
installTool();
const rows = [];
for (const name of names) {
  const report = await mutate(name);
  const counts = countsOf(report);
  if (values.survivors || counts.score < LEAST) console.log(survivorsOf(report).join('\n'));
  rows.push(rowOf(name, counts));
  if (counts.score < LEAST) process.exitCode = 1;
}
console.log('| Folder | Changes | Killed | Timed out | Survived | No test | Score |\n|---|---|---|---|---|---|---|');
console.log(rows.join('\n'));
if (process.exitCode === 1) console.error(`A folder is below ${LEAST} %.`);
