// Sends bad input to everything that strangers can reach, and reports the results: npm run fuzz -- --help
import { readCase, readCorpus, readPending } from '../fuzz/engine/corpus.mjs';
import { figures, reportFinding, reportReplay } from '../fuzz/engine/figures.mjs';
import { HELP, readOptions } from '../fuzz/engine/options.mjs';
import { fuzzTarget, replayTarget } from '../fuzz/engine/supervise.mjs';
import { targets } from '../fuzz/targets/index.mjs';

/** Runs given inputs, one process for each target, and reports for each whether it shows a fault; true when only known faults show. */
async function replay(cases) {
  const pending = new Set(readPending());
  let isClean = true;
  for (const name of Object.keys(targets)) {
    const own = cases.filter(({ target }) => target === name);
    if (own.length === 0) continue;
    const results = await replayTarget(name, own);
    for (const [file, faults] of results) {
      reportReplay({ file, faults, isPending: pending.has(file) });
      if (faults.length > 0 && !pending.has(file)) isClean = false;
    }
  }
  return isClean;
}

async function fuzz({ names, minutes, seed, isFresh }) {
  const started = performance.now();
  const end = started + minutes * 60_000;
  const rows = [];
  for (const [index, name] of names.entries()) {
    // The unused time of a target goes to the others.
    const ms = Math.max(1000, (end - performance.now()) / (names.length - index));
    const made = await fuzzTarget({ name, seed, isFresh, ms, onfinding: (finding) => reportFinding(name, finding) });
    rows.push({ name, ...made });
  }
  console.log(figures(rows, { seed, seconds: (performance.now() - started) / 1000 }));
  return rows.every(({ findings }) => findings.length === 0);
}

async function main() {
  const options = readOptions(process.argv.slice(2), Object.keys(targets));
  if (options.help) return console.log(HELP(targets));
  if (options.replay !== undefined) {
    process.exitCode = (await replay(options.replay.map((path) => readCase(path, targets)))) ? 0 : 1;
    return;
  }
  const corpus = readCorpus(targets).filter(({ target }) => options.names.includes(target));
  const isClean = options.isCorpusRun ? await replay(corpus) : true;
  const isQuiet = await fuzz(options);
  process.exitCode = isClean && isQuiet ? 0 : 1;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
