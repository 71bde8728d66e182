// Prints the protocol requirements that the tests prove.
//   npm run requirements                    cited/testable for each area and level; cited/all for user interfaces
//   npm run requirements -- --area tools    one area, and its uncited MUSTs
//   npm run requirements -- --missing       every uncited MUST that is not deferred
//   npm run --silent requirements -- --json the numbers alone
//   --run                                   runs the tests first even if there is a report
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { countRequirements, testsOf } from './requirements/count.mjs';
import { doubtsAbout, loadReport } from './requirements/report.mjs';
import { missingList, table } from './requirements/table.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'packages', 'crosspoint', 'test', 'requirements');
const readJson = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean' },
    missing: { type: 'boolean' },
    run: { type: 'boolean' },
    area: { type: 'string' },
  },
});

const entries = [...readJson('ledger-handshake.json'), ...readJson('ledger-per-request.json')];
if (options.area !== undefined && !entries.some((entry) => entry.area === options.area)) {
  console.error(
    `There is no area "${options.area}". The areas: ${[...new Set(entries.map((entry) => entry.area))].join(', ')}.`,
  );
  process.exit(1);
}

const loaded = loadReport(root, { fresh: options.run ?? false });
for (const doubt of doubtsAbout(root, loaded)) console.error(doubt);
const { rows, unknown, conflicts, missing } = countRequirements(
  entries,
  testsOf(loaded.report),
  readJson('deferred.json'),
);
const inArea = (item) => options.area === undefined || item.area === options.area;

if (options.json) {
  const plain = rows.filter(inArea).map(({ area, level, total, testable, cited, ui, uiCited }) => ({
    area,
    level,
    total,
    testable,
    cited,
    ui,
    uiCited,
  }));
  process.stdout.write(`${JSON.stringify(plain, null, 2)}\n`);
} else {
  console.log(table(rows.filter(inArea)));
  if (options.missing || options.area !== undefined) console.log(`\n${missingList(missing.filter(inArea))}`);
}

for (const { id, where } of unknown) console.error(`Unknown id ${id} in: ${where}`);
for (const id of conflicts)
  console.error(`${id} is cited by a passing test and deferred as well: take it out of deferred.json.`);
if (unknown.length > 0 || conflicts.length > 0) process.exitCode = 1;
