// The last word on the tests, from the runner's own report: what failed and why, and how many passed, failed and were
// skipped.
// With CI=true a skipped test fails the run unless a line of allowed-skips.txt is its full title, or its beginning
// followed by an asterisk.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
if (!existsSync(new URL('../.cache/test-report.json', import.meta.url))) {
  console.log('The tests left no report: they did not run.\n0 passed, 0 failed, 0 skipped');
  process.exit(1);
}
const parts = ['../.cache/test-report.json', '../.cache/long-test-report.json']
  .filter((name) => existsSync(new URL(name, import.meta.url)))
  .map((name) => JSON.parse(read(name)));
const report = {
  testResults: parts.flatMap(({ testResults }) => testResults),
  unsteady: parts.flatMap(({ unsteady = [] }) => unsteady),
};
const tests = report.testResults.flatMap((file) =>
  file.assertionResults.map((test) => ({
    status: test.status,
    title: [...test.ancestorTitles, test.title].join(' '),
    file: relative(root, file.name),
    reason: test.failureMessages?.[0] ?? '',
  })),
);
const of = (...statuses) => tests.filter(({ status }) => statuses.includes(status));
const skipped = of('skipped', 'pending', 'todo', 'disabled');
const lines = read('allowed-skips.txt')
  .split('\n')
  .map((line) => line.trim())
  .filter((line) => line !== '');
const isAllowed = (title) =>
  lines.some((line) => (line.endsWith('*') ? title.startsWith(line.slice(0, -1)) : title === line));
const refused = skipped.filter(({ title }) => !isAllowed(title));
const startOf = (reason) =>
  reason
    .split('\n')
    .slice(0, 12)
    .map((line) => `  ${line}`)
    .join('\n');
// A file that could not be loaded has no tests to count, and has failed all the same.
const broken = report.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'),
);

for (const { title, file, reason } of of('failed')) console.log(`failed: ${title}\n  in ${file}\n${startOf(reason)}`);
for (const { title, file, reason } of report.unsteady)
  console.log(`unsteady: ${title}\n  in ${file} passed only when it was run again\n${startOf(reason)}`);
for (const { title } of refused) console.log(`skipped: ${title}`);
for (const { name } of broken) console.log(`could not run: ${relative(root, name)}`);
console.log(`${of('passed').length} passed, ${of('failed').length + broken.length} failed, ${skipped.length} skipped`);
if (of('failed').length + broken.length > 0 || (process.env['CI'] === 'true' && refused.length > 0))
  process.exitCode = 1;
