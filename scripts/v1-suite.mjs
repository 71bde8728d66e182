// Runs the tests of the official SDK's v1.x branch with @crosspoint/sdk in the place of its sources, and counts what passes.
//   npm run v1-suite -- --from <checkout>                     all of them
//   npm run v1-suite -- --from <checkout> test/client/auth    those whose path contains one of these
//   --types          compile the branch's tests against our declarations as well
//   --failures       print every test that failed, with the first line of its error
//   --report <file>  write every test with its outcome to a file, as JSON
// The checkout is a clone of github.com/modelcontextprotocol/typescript-sdk at its branch v1.x; nothing in it is changed. Ends with 1 when
// fewer tests pass than `GOALS` asks for, or when a difference on the list is none.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { installSuite } from './v1-suite/installation.mjs';
import { compileTests, runTests } from './v1-suite/running.mjs';
import { groupOf, judge, printReport } from './v1-suite/report.mjs';

/** The share that has to pass, of the tests that are not on the list of differences on purpose and of all. */
const GOALS = { endToEnd: 0.97, all: 0.85 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string' },
    types: { type: 'boolean', default: false },
    failures: { type: 'boolean', default: false },
    report: { type: 'string' },
  },
});
if (values.from === undefined) {
  console.error(
    'Say where a checkout of the official SDK is: npm run v1-suite -- --from <checkout>\n' +
      'To get one: git clone --branch v1.x https://github.com/modelcontextprotocol/typescript-sdk',
  );
  process.exit(2);
}

const suite = await installSuite(resolve(values.from)).catch(({ message }) => {
  console.error(message);
  process.exit(2);
});
console.log(`${suite.name} ${suite.version} on @crosspoint/sdk ${suite.ours}`);
const judged = judge(await runTests(suite.folder, positionals));
if (values.report !== undefined) writeFileSync(values.report, `${JSON.stringify(judged.tests, undefined, 1)}\n`);
printReport(judged, { failures: values.failures });
if (values.types) {
  const errors = await compileTests(suite.folder);
  console.log(`\nTypes: ${errors.length} errors in ${new Set(errors.map(({ file }) => file)).size} files`);
  for (const { file, line, text } of errors) console.log(`  ${file}:${line} ${text}`);
}

const isWhole = positionals.length === 0;
const share = (tests) => tests.filter(({ passed }) => passed).length / Math.max(tests.length, 1);
const endToEnd = judged.tests.filter((test) => groupOf(test.file) !== 'units' && test.reason === undefined);
if (judged.stale.length > 0 || (isWhole && (share(endToEnd) < GOALS.endToEnd || share(judged.tests) < GOALS.all)))
  process.exitCode = 1;
