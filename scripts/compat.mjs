// Compares the names that the official packages export with ours, entry by entry, and prints the missing ones. Fails when a name is
// missing without a reason in docs/migration/missing-names.json, or listed there although it exists. --json prints it for programs.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compareNames, faultsOfList, shareOf } from './compat/compare-names.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const list = JSON.parse(readFileSync(join(root, 'docs', 'migration', 'missing-names.json'), 'utf8'));
const compared = await compareNames(root);
const faults = faultsOfList(compared, list);
const shares = Object.fromEntries(Object.entries(compared).map(([version, entries]) => [version, shareOf(entries)]));
const percent = (share) => `${(share * 100).toFixed(1)} %`;

function print(version, entries) {
  const { total, present, share } = shares[version];
  console.log(`\n${version}: ${present} of ${total} names, ${percent(share)}\n`);
  const width = Math.max(...entries.map(({ name }) => name.length));
  for (const { name, total: all, missing } of entries) {
    const there = `${String(all - missing.length).padStart(4)} of ${String(all).padStart(4)}`;
    console.log(`  ${name.padEnd(width)}  ${there}  ${percent((all - missing.length) / (all || 1)).padStart(7)}`);
    for (const each of missing) console.log(`      ${each}: ${list[name]?.[each] ?? 'NO REASON GIVEN'}`);
  }
}

if (process.argv.includes('--json')) console.log(JSON.stringify({ shares, faults, compared }));
else for (const [version, entries] of Object.entries(compared)) print(version, entries);

if (faults.length > 0) {
  console.error(`\nThe list of missing names does not hold:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  process.exitCode = 1;
}
