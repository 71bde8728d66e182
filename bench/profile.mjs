// node bench/profile.mjs [ms]: shows where Crosspoint spends its time in typical cases, as self time by part.
// Shares depend little on the machine and on what else it does; times do, so none are printed.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopAll } from './measure/processes.mjs';
import { partsTable, profileTables } from './report/profile-tables.mjs';
import { writePage } from './report/save.mjs';
import { PROFILED } from './workloads/profiled.mjs';

const FILE = join(dirname(fileURLToPath(import.meta.url)), 'results', 'profile.md');
const ms = Number(process.argv[2] ?? 4000);

try {
  const cases = [];
  for (const one of PROFILED) {
    console.log(`${one.title} …`);
    cases.push({ title: one.title, ...(await one.take(ms)) });
  }
  const text = profileTables(cases);
  console.log(text);
  writeFileSync(FILE, text);
  writePage('profile', partsTable(cases));
} finally {
  await stopAll();
}
