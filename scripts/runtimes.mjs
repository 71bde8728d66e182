// Runs the package, as it would be published, on every runtime, and the official Inspector against `npm start`.
//   npm run runtimes               all of them
//   npm run runtimes -- bun deno   these alone
// Installs the runtimes from npm into .cache/runtimes/ on first use. Ends with 1 when anything failed. A runtime that cannot be installed
// is named; with CI=true it has failed.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installApplication } from './runtimes/install.mjs';
import { inspectStart, installInspector } from './runtimes/inspector.mjs';
import { serve } from './runtimes/processes.mjs';
import { SUBJECTS } from './runtimes/subjects.mjs';
import { INSPECTOR_NODE_VERSION, INSPECTOR_VERSION } from './runtimes/versions.mjs';

const LIMIT_MS = 570_000;
const COLUMNS = ['loads', 'fetch', 'client', 'server', 'stdio', 'stores'];
const wanted = process.argv.slice(2);
const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
const tally = { passed: 0, failed: 0, absent: [] };

async function settle(name, run) {
  try {
    return await run();
  } catch (error) {
    return [{ name, error: error.message }];
  }
}

/** The runtime's own checks, and those of a client here against its server. */
async function trySubject({ probe, serve: start }, url, checks) {
  const inside = await settle('loads: the probe', () => probe(url));
  const outside = await settle('server: starts', async () => {
    const server = await start();
    try {
      return await checks.visitAddress('server', server.url);
    } finally {
      server.stop();
    }
  });
  return [...inside, ...outside];
}

function count(results) {
  const failed = results.filter(({ error }) => error !== undefined);
  tally.passed += results.length - failed.length;
  tally.failed += failed.length;
  return failed;
}

const cellOf = (results) =>
  results.length === 0 ? '-' : `${results.filter(({ error }) => error === undefined).length}/${results.length}`;

function printRow(title, cells, failed) {
  console.log([title.padEnd(22), ...cells.map((cell) => cell.padStart(7))].join('').trimEnd());
  for (const { name, error } of failed) console.log(`    ${name}\n      ${error.replaceAll('\n', '\n      ')}`);
}

function reportAbsent(title, error) {
  tally.absent.push(title);
  console.log(`${title.padEnd(22)} could not be installed: ${error.message}`);
}

async function runSubjects() {
  const subjects = SUBJECTS.filter(({ name }) => isWanted(name));
  if (subjects.length === 0) return;
  const application = await installApplication();
  const checks = await import(pathToFileURL(join(application, 'runtimes', 'checks.mjs')).href);
  const command = [process.execPath, join('examples', 'runtimes', 'node.js')];
  const options = { cwd: application, env: { PORT: '0' }, ready: /http:\S+\/mcp/, limitMs: 20_000 };
  const ours = await serve(command, options);
  console.log(`${'runtime'.padEnd(22)}${COLUMNS.map((column) => column.padStart(7)).join('')}`);
  for (const subject of subjects) {
    const title = `${subject.name} ${subject.version}`;
    const prepared = await subject.prepare(application).catch((error) => reportAbsent(title, error));
    if (prepared === undefined) continue;
    const results = await trySubject(prepared, ours.match, checks);
    const cells = COLUMNS.map((column) => cellOf(results.filter(({ name }) => name.startsWith(column))));
    printRow(title, cells, count(results));
  }
  ours.stop();
}

async function runInspector() {
  const title = `inspector ${INSPECTOR_VERSION}`;
  const inspect = await installInspector().catch((error) => reportAbsent(title, error));
  if (inspect === undefined) return;
  const results = await settle('npm start', () => inspectStart(inspect));
  printRow(title, [`  ${cellOf(results)} against npm start, on node ${INSPECTOR_NODE_VERSION}`], count(results));
}

setTimeout(() => {
  console.error(`The runtimes were not done within ${LIMIT_MS / 1000} s.`);
  process.exit(1);
}, LIMIT_MS).unref();

await runSubjects();
if (isWanted('inspector')) await runInspector();
if (tally.absent.length > 0) console.log(`\nNot tried: ${tally.absent.join(', ')}.`);
if (process.env['CI'] === 'true') tally.failed += tally.absent.length;
console.log(`\n${tally.passed} passed, ${tally.failed} failed`);
if (tally.failed > 0 || tally.passed === 0) process.exitCode = 1;
