// Runs the official conformance suite against the programs in conformance/.
//   npm run conformance                      every scenario of every set, both sides
//   npm run conformance -- --server          one side; --client and --authorization the others
//   npm run conformance -- tools-list ping   these scenarios, also where their feature is open
// Ends with 1 when anything failed or was warned of that is not open.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { argumentsOfSet, loadScenarios } from './conformance/scenarios.mjs';
import { root, runSuite, suiteNode } from './conformance/suite.mjs';
import { judge, readChecks } from './conformance/verdict.mjs';

const SCENARIO_MS = 30_000;
const SET_MS = 300_000;
const START_MS = 20_000;
const results = join(root, '.cache', 'conformance');

const { values: options, positionals: names } = parseArgs({
  options: {
    server: { type: 'boolean', default: false },
    client: { type: 'boolean', default: false },
    authorization: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

/** Starts a program under test on a free port; `said` is the line that it prints once it can be called. */
function startProgram(name) {
  const child = spawn(process.execPath, [join('conformance', name)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The server did not start.')), START_MS);
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)));
    child.once('error', reject);
    child.stdout.setEncoding('utf8').once('data', (line) => {
      clearTimeout(timer);
      resolve({ said: line.trim(), stop: () => child.kill('SIGKILL') });
    });
  });
}

/** Runs one scenario in a process of its own, so that the client's exit is checked too. */
async function runAlone({ name, leg, set, revision }, node, url) {
  const folder = join(results, leg, set, name);
  const subject = leg === 'server' ? ['--url', url] : ['--command', 'node conformance/client.mjs'];
  const words = revision === undefined ? [] : ['--spec-version', revision, '--force'];
  const args = [leg, ...subject, '--scenario', name, ...words, '--timeout', String(SCENARIO_MS), '-o', folder];
  const { code, output } = await runSuite(node, args, 2 * SCENARIO_MS);
  return { ...judge(name, readChecks(folder).get(name), code === 0), output };
}

/** Runs whole sets against the server, which is one process throughout and has no exit to check. */
function createServerRuns(node, url) {
  const runs = new Map();
  return async ({ name, set }) => {
    if (!runs.has(set)) {
      const folder = join(results, 'server', set);
      const args = ['server', '--url', url, ...argumentsOfSet(set), '--timeout', String(SCENARIO_MS), '-o', folder];
      runs.set(
        set,
        runSuite(node, args, SET_MS).then(() => readChecks(folder)),
      );
    }
    return judge(name, (await runs.get(set)).get(name), true);
  };
}

/** Runs both scenarios at once, the only way the suite offers: it prints an address, and this script plays the browser. */
async function runAuthorization(node) {
  const program = await startProgram('authorization-server.mjs');
  const folder = join(results, 'authorization');
  const [, issuer] = /^issuer: (.*)$/m.exec(program.said) ?? [];
  const [, clientId] = /^client_id: (.*)$/m.exec(program.said) ?? [];
  let isVisited = false;
  const visit = (said) => {
    // The suite's callback listens only after it has printed this line.
    const [address] = /^https?:.*\/authorize\?.*$/m.exec(said) ?? [];
    if (isVisited || address === undefined || !/^Callback server started/m.test(said)) return;
    isVisited = true;
    // The checks show the result.
    fetch(address).catch(() => {});
  };
  const args = ['authorization', '--url', issuer, '--client-id', clientId, '-p', '3999', '-o', folder];
  try {
    const { code, output } = await runSuite(node, args, 2 * SCENARIO_MS, visit);
    return { checks: readChecks(folder), ended: code === 0, output };
  } finally {
    program.stop();
  }
}

function isWanted({ name, leg }) {
  if (names.length > 0) return names.includes(name);
  return (!options.server && !options.client && !options.authorization) || options[leg] === true;
}

function printRow({ name, leg, set }, verdict, result) {
  const counts = (result ? [result.ok, result.failed, result.warned] : ['', '', '']).map((count) =>
    String(count).padStart(4),
  );
  console.log([leg.padEnd(13), set.padEnd(10), name.padEnd(47), ...counts, verdict].join('  '));
}

function report(scenario, result, tally) {
  if (result === undefined || (scenario.open !== undefined && names.length === 0)) {
    tally.open.set(scenario.open, (tally.open.get(scenario.open) ?? 0) + 1);
    return printRow(scenario, `open: ${scenario.open}`, result);
  }
  const outcome = result.untestable ? 'untestable' : result.passed ? 'passed' : 'failed';
  tally[outcome] += 1;
  printRow(scenario, outcome === 'failed' ? 'FAILED' : outcome, result);
  for (const note of result.notes) console.log(`    a fault of the suite, not counted: ${note}`);
  for (const problem of result.problems) console.log(`    ${problem}`);
  if (outcome === 'failed' && result.output !== undefined && names.length > 0)
    console.log(result.output.trimEnd().replaceAll(/^/gm, '    | '));
}

async function runAll(scenarios, node, url) {
  const tally = { passed: 0, failed: 0, untestable: 0, open: new Map() };
  const runInSet = createServerRuns(node, url);
  let authorization;
  for (const scenario of scenarios) {
    const { leg, set, open } = scenario;
    const inSet = leg === 'server' && names.length === 0 && argumentsOfSet(set) !== undefined;
    if (inSet) report(scenario, await runInSet(scenario), tally);
    else if (leg === 'authorization') {
      authorization ??= await runAuthorization(node);
      const { checks, ended, output } = authorization;
      report(scenario, { ...judge(scenario.name, checks.get(scenario.name), ended), output }, tally);
    } else if (open !== undefined && names.length === 0) report(scenario, undefined, tally);
    else report(scenario, await runAlone(scenario, node, url), tally);
  }
  return tally;
}

const node = suiteNode();
rmSync(results, { recursive: true, force: true });
const scenarios = (await loadScenarios(node)).filter(isWanted);
const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name));
for (const name of unknown) console.error(`The suite has no scenario "${name}".`);
const server = scenarios.some(({ leg }) => leg === 'server') ? await startProgram('server.mjs') : undefined;
console.log(`${'side'.padEnd(13)}  ${'set'.padEnd(10)}  ${'scenario'.padEnd(47)}    ok  fail  warn  verdict`);
const { passed, failed, untestable, open } = await runAll(scenarios, node, server?.said).finally(() => server?.stop());
if (open.size > 0) console.log(`\nOpen: ${[...open].map(([feature, count]) => `${feature} ${count}`).join(', ')}.`);
if (untestable > 0) console.log(`\nNot testable with this suite: ${untestable}.`);
console.log(`\n${passed} passed, ${failed} failed`);
if (failed > 0 || unknown.length > 0) process.exitCode = 1;
