// npm run bench: see --help, and README.md beside this file.
import { addOlder, besideOlder } from './cli/against.mjs';
import { choose, HELP, readOptions } from './cli/options.mjs';
import { installPeers } from './cli/peers.mjs';
import { runWorkloads } from './cli/run-workloads.mjs';
import { stopAll } from './measure/processes.mjs';
import { savedResult, writeBridges, writeReadme } from './report/save.mjs';
import { drawIntoDocs, savedGrowth } from './report/save-growth.mjs';

function listWorkloads(workloads) {
  for (const { id, title, variants } of workloads) {
    console.log(`${id.padEnd(5)} ${title}\n      ${variants.map(({ label }) => label).join(', ')}`);
  }
}

async function main() {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return console.log(HELP);
  const { WORKLOADS } = await import('./workloads/index.mjs');
  const workloads = choose(WORKLOADS, options);
  if (options.list) return listWorkloads(workloads);
  if (options.readme && process.argv.length === 3) return writeReadme(savedResult());
  if (options.page && process.argv.length === 3) return writeBridges(savedResult());
  if (options.pictures && process.argv.length === 3) return drawIntoDocs(savedGrowth());
  if (options.against !== undefined) {
    addOlder(options.against);
    const measured = workloads.filter(({ isOfFiles }) => !isOfFiles).map(besideOlder);
    return runWorkloads(measured, options, false);
  }
  installPeers();
  await runWorkloads(workloads, options, options.workloads.length === 0 && options.subjects === undefined);
}

try {
  await main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await stopAll();
}
