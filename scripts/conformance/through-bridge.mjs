// Runs scenarios twice, without a bridge and through one, and compares: everything that passes without it has to pass through it.
import { join } from 'node:path';
import { EXCEPTIONS } from '../../conformance/bridge-exceptions.mjs';
import { createServerRuns, results, runAlone, startProgram } from './runs.mjs';
import { argumentsOfSet } from './scenarios.mjs';

/** The conformance servers, by the name that exceptions call them. */
const UPSTREAMS = { ours: 'server.mjs', v1: 'upstreams/v1.mjs', v2: 'upstreams/v2.mjs' };
const CLIENT = 'node conformance/client.mjs';

/** Runs the scenarios of both sides; true when nothing was lost. `names` are those that were asked for, none for all. */
export async function runThroughBridge(scenarios, node, names) {
  const tally = { kept: 0, lost: 0, gained: 0, excepted: 0 };
  const isChosen = names.length > 0;
  for (const upstream of Object.keys(UPSTREAMS)) {
    const ofServers = scenarios.filter(({ leg }) => leg === 'server');
    if (ofServers.length > 0) await runServers({ upstream, node, isChosen }, ofServers, tally);
  }
  for (const scenario of scenarios.filter(({ leg }) => leg === 'client')) {
    const direct = await runAlone(scenario, node, { subject: CLIENT, folder: results });
    const folder = join(results, 'bridged', 'clients');
    const bridged = await runAlone(scenario, node, { subject: `${CLIENT} --through-bridge`, folder });
    report({ ...scenario, upstream: undefined }, { direct, bridged, isChosen }, tally);
  }
  const { kept, lost, gained, excepted } = tally;
  console.log(`\n${kept} kept, ${lost} lost, ${excepted} excepted, ${gained} pass only through the bridge`);
  return lost === 0;
}

async function runServers({ upstream, node, isChosen }, scenarios, tally) {
  const server = await startProgram(UPSTREAMS[upstream]);
  const bridge = await startProgram('bridge.mjs', server.said);
  const at = (subject, kind) => ({ subject, folder: join(results, kind, upstream) });
  const runs = [at(server.said, 'direct'), at(bridge.said, 'bridged')].map((where) => {
    const inSet = createServerRuns(node, where);
    return (scenario) =>
      isChosen || argumentsOfSet(scenario.set) === undefined ? runAlone(scenario, node, where) : inSet(scenario);
  });
  try {
    for (const scenario of scenarios) {
      const [direct, bridged] = [await runs[0](scenario), await runs[1](scenario)];
      report({ ...scenario, upstream }, { direct, bridged, isChosen }, tally);
    }
  } finally {
    bridge.stop();
    server.stop();
  }
}

function exceptionFor({ leg, upstream, set, name }) {
  return EXCEPTIONS.find((row) => row.leg === leg && row.upstream === upstream && row.set === set && row.name === name);
}

function report(scenario, { direct, bridged, isChosen }, tally) {
  const exception = exceptionFor(scenario);
  const verdict = verdictOn(direct, bridged, exception);
  if (verdict !== undefined) tally[verdict] += 1;
  const { leg, upstream = '', set, name } = scenario;
  const columns = [leg.padEnd(8), upstream.padEnd(6), set.padEnd(10), name.padEnd(47)];
  console.log([...columns, verdict === 'lost' ? 'LOST' : (verdict ?? 'not passed by either')].join('  '));
  if (verdict === 'excepted') console.log(`    ${exception.reason}`);
  if (verdict !== 'lost') return;
  if (exception !== undefined) console.log('    It is listed as an exception and passes: remove it from the list.');
  for (const problem of bridged.problems) console.log(`    ${problem}`);
  if (isChosen && bridged.output !== undefined) console.log(bridged.output.trimEnd().replaceAll(/^/gm, '    | '));
}

/** `undefined`: neither passes, so that there is nothing to keep. An exception that is not needed counts as lost, so that the list stays short. */
function verdictOn(direct, bridged, exception) {
  if (!direct.passed) return bridged.passed ? 'gained' : undefined;
  if (exception !== undefined) return bridged.passed ? 'lost' : 'excepted';
  return bridged.passed ? 'kept' : 'lost';
}
