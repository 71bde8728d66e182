// Sorts the outcomes of the branch's tests: by file, by likely cause, and by whether the difference is on purpose.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../packages.mjs';

/** Titles that fail on purpose: an array of `{ reason, tests: { [file]: titles } }`. */
const DIFFERENCES = join(ROOT, 'scripts', 'v1-suite', 'differences.json');

/** What a failure is most likely about, by the first pattern that its error matches. */
const CAUSES = [
  [
    'missing names',
    /is not a (?:function|constructor)|does not provide an export|does not load|Cannot find (?:module|package)/,
  ],
  ['private members', /(?:reading|setting) '_\w+'|\b_\w+ (?:is not|does not exist)|spyOn could only/],
  ['mocks', /toHaveBeenCalled|to be called|spy|mock/i],
  ['time limits', /[Tt]imed out/],
  [
    'words of messages',
    /to throw error (?:including|matching)|to (?:match|contain|include) (?:'|"|\/)|StringContaining|to be '/,
  ],
  ['behaviour', /(?:)/],
];

/** Which of the three parts of the suite a file belongs to. */
export function groupOf(file) {
  const part = /^test\/(e2e|integration-tests|examples)\//.exec(file)?.[1];
  return part ?? 'units';
}

/** Puts a reason on every test that differs on purpose, and finds entries of the list that do not differ. */
export function judge(outcomes) {
  const reasons = new Map();
  for (const { reason, tests } of JSON.parse(readFileSync(DIFFERENCES, 'utf8')))
    for (const [file, titles] of Object.entries(tests))
      for (const title of titles) reasons.set(`${file}\n${title}`, reason);
  const tests = outcomes.map((test) => {
    const reason = reasons.get(`${test.file}\n${test.title}`);
    const cause = test.passed ? undefined : CAUSES.find(([, pattern]) => pattern.test(test.error))[0];
    return { ...test, ...(cause && { cause }), ...(reason && { reason }) };
  });
  return { tests, stale: tests.filter(({ passed, reason }) => passed && reason !== undefined), listed: reasons.size };
}

function countBy(tests, keyOf) {
  const counts = new Map();
  for (const test of tests) {
    const row = counts.get(keyOf(test)) ?? { passed: 0, failed: 0, listed: 0 };
    row[test.passed ? 'passed' : test.reason === undefined ? 'failed' : 'listed'] += 1;
    counts.set(keyOf(test), row);
  }
  return [...counts];
}

function printTable(heading, rows) {
  console.log(
    `\n${heading.padEnd(62)}${['passed', 'failed', 'on purpose', 'share'].map((text) => text.padStart(11)).join('')}`,
  );
  for (const [name, { passed, failed, listed }] of rows) {
    const share = `${((100 * passed) / Math.max(passed + failed + listed, 1)).toFixed(1)} %`;
    console.log(
      `${name.padEnd(62)}${[passed, failed, listed, share].map((value) => String(value).padStart(11)).join('')}`,
    );
  }
}

const firstLine = (text) => text.trim().split('\n')[0].slice(0, 200);

export function printReport({ tests, stale, listed }, { failures }) {
  const failed = tests.filter(({ passed, reason }) => !passed && reason === undefined);
  const sum = countBy(tests, () => 'all')[0] ?? ['all', { passed: 0, failed: 0, listed: 0 }];
  printTable(
    'file',
    countBy(tests, ({ file }) => file),
  );
  printTable('part', [...countBy(tests, ({ file }) => groupOf(file)), sum]);
  console.log('\ncause of failure');
  for (const [cause] of CAUSES)
    console.log(`  ${cause.padEnd(22)}${String(failed.filter((test) => test.cause === cause).length).padStart(5)}`);
  console.log(`\n${listed} titles are on the list of differences on purpose.`);
  for (const { file, title } of stale) console.log(`  on the list, but it passes: ${file} ${title}`);
  if (!failures) return;
  console.log('\nfailed');
  for (const { file, title, cause, error } of failed)
    console.log(`  ${file}\n    ${title}\n      ${cause}: ${firstLine(error)}`);
}
