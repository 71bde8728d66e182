// The test runner's report: found, or made by running the tests. Messages go to stderr: stdout belongs to the answer.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const SKIPPED = new Set(['node_modules', 'dist', '.cache', 'coverage']);

function filesUnder(folder, keep) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(path, keep);
    return keep(entry.name) ? [path] : [];
  });
}

function runTests(root) {
  console.error('Running the tests to make a report …');
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  // The exit code only repeats what the report says; a failed test simply does not count.
  spawnSync(process.execPath, [vitest, 'run'], { cwd: root, stdio: ['ignore', 2, 2] });
}

/** Loads the report, with that of the long tests where they were run apart. Throws when there is none and the run leaves none. `fresh` runs the tests even if there is a report. */
export function loadReport(root, { fresh = false } = {}) {
  const path = join(root, '.cache', 'test-report.json');
  if (fresh || !existsSync(path)) runTests(root);
  if (!existsSync(path)) throw new Error(`The tests left no report at ${relative(root, path)}.`);
  const report = JSON.parse(readFileSync(path, 'utf8'));
  const long = join(root, '.cache', 'long-test-report.json');
  // A run of everything has the long tests in its own report.
  if (fresh || !existsSync(long)) return { path, report };
  const seen = new Set(report.testResults.map(({ name }) => name));
  const further = JSON.parse(readFileSync(long, 'utf8')).testResults.filter(({ name }) => !seen.has(name));
  return { path, report: { ...report, testResults: [...report.testResults, ...further] } };
}

/** Reasons to doubt the report: younger sources, test files it does not contain, tests that failed. */
export function doubtsAbout(root, { path, report }) {
  const sources = ['packages', 'examples'].flatMap((folder) =>
    filesUnder(join(root, folder), (name) => /\.m?tsx?$/.test(name)),
  );
  const doubts = [];
  const reportAge = statSync(path).mtimeMs;
  const younger = sources.filter((file) => statSync(file).mtimeMs > reportAge);
  if (younger.length > 0)
    doubts.push(
      `The report is older than ${younger.length} source files, such as ${relative(root, younger[0])}; run the tests again or pass --run.`,
    );
  const seen = new Set(report.testResults.map((file) => relative(root, file.name).split(sep).join('/')));
  const unseen = sources
    .map((file) => relative(root, file).split(sep).join('/'))
    // The tests in templates are of the projects that are made from them.
    .filter((file) => file.endsWith('.test.ts') && !file.includes('/templates/') && !seen.has(file));
  if (unseen.length > 0)
    doubts.push(
      `The report is of a partial run: it lacks ${unseen.length} test files, such as ${unseen[0]}; run "npm run test:long" too, or pass --run for a whole one.`,
    );
  const broken = report.testResults.filter((file) => file.status === 'failed');
  if (broken.length > 0) doubts.push(`${broken.length} test files failed; what fails there does not count.`);
  return doubts;
}
