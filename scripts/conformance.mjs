// Runs the official conformance suite against the programs in conformance/.
//   npm run conformance                      every scenario of every set, both sides
//   npm run conformance -- --server          one side; --client and --authorization the others
//   npm run conformance -- tools-list ping   these scenarios, also where their feature is open
//   npm run conformance -- --through-bridge  each scenario without a bridge and through one, with our server and two on the official SDKs
// Ends with 1 when anything failed or was warned of that is not open.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createServerRuns, results, runAlone, SCENARIO_MS, startProgram } from './conformance/runs.mjs';
import { argumentsOfSet, loadScenarios } from './conformance/scenarios.mjs';
import { runSuite, suiteNode } from './conformance/suite.mjs';
import { runThroughBridge } from './conformance/through-bridge.mjs';
import { judge, readChecks } from './conformance/verdict.mjs';

const { values: options, positionals: names } = parseArgs({
  options: {
    server: { type: 'boolean', default: false },
    client: { type: 'boolean', default: false },
    authorization: { type: 'boolean', default: false },
    'through-bridge': { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

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
  const runInSet = createServerRuns(node, { subject: url, folder: results });
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
    else {
      const subject = leg === 'server' ? url : 'node conformance/client.mjs';
      report(scenario, await runAlone(scenario, node, { subject, folder: results }), tally);
    }
  }
  return tally;
}

const node = suiteNode();
rmSync(results, { recursive: true, force: true });
const scenarios = (await loadScenarios(node)).filter(isWanted);
const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name));
for (const name of unknown) console.error(`The suite has no scenario "${name}".`);

async function runPlainly() {
  const server = scenarios.some(({ leg }) => leg === 'server') ? await startProgram('server.mjs') : undefined;
  console.log(`${'side'.padEnd(13)}  ${'set'.padEnd(10)}  ${'scenario'.padEnd(47)}    ok  fail  warn  verdict`);
  const { passed, failed, untestable, open } = await runAll(scenarios, node, server?.said).finally(() =>
    server?.stop(),
  );
  if (open.size > 0) console.log(`\nOpen: ${[...open].map(([feature, count]) => `${feature} ${count}`).join(', ')}.`);
  if (untestable > 0) console.log(`\nNot testable with this suite: ${untestable}.`);
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0;
}

const isGood = await (options['through-bridge'] ? runThroughBridge(scenarios, node, names) : runPlainly());
if (!isGood || unknown.length > 0) process.exitCode = 1;
