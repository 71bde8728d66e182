// After tests have failed: runs their files once more, by themselves, on a machine that does nothing else. What passes now was unsteady,
// not broken; the summary names it with what went wrong at first, so that it gets mended. More than a few such files is no accident.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const MOST = 3;
const root = fileURLToPath(new URL('..', import.meta.url));
const isLong = process.argv[2] === 'long';
const report = isLong ? 'long-test-report.json' : 'test-report.json';
const path = fileURLToPath(new URL(`../.cache/${report}`, import.meta.url));
const read = () => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { testResults: [] });

const first = read();
const failed = first.testResults.filter(({ status }) => status === 'failed');
if (failed.length === 0 || failed.length > MOST) process.exit(1);
const files = failed.map(({ name }) => relative(root, name));
console.log(`Once more, by themselves: ${files.join(', ')}`);
const { status } = spawnSync('npm', ['run', isLong ? 'test:long' : 'test', '--', ...files], { cwd: root, stdio: 'inherit' });

const second = new Map(read().testResults.map((file) => [file.name, file]));
const unsteady = failed.flatMap(({ name, assertionResults }) =>
  assertionResults
    .filter((test) => test.status === 'failed')
    .map(({ ancestorTitles, title, failureMessages }) => ({
      title: [...ancestorTitles, title].join(' '),
      file: relative(root, name),
      reason: failureMessages?.[0] ?? '',
    })),
);
const testResults = first.testResults.map((file) => second.get(file.name) ?? file);
writeFileSync(path, JSON.stringify({ ...first, testResults, unsteady: status === 0 ? unsteady : [] }));
process.exit(status ?? 1);
