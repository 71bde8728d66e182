// Runs the tests of the copied branch with its own vitest, and compiles them with its own TypeScript.
import { readFileSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { run } from '../runtimes/processes.mjs';

const RUN_MS = 30 * 60_000;

const tool = (folder, ...parts) => [process.execPath, join(folder, 'node_modules', ...parts)];

/** @returns {Promise<{ file: string, title: string, passed: boolean, error?: string }[]>} */
export async function runTests(folder, paths) {
  const outcome = join(folder, 'outcome.json');
  rmSync(outcome, { force: true });
  const flags = ['--reporter=json', `--outputFile=${outcome}`];
  const command = [...tool(folder, 'vitest', 'vitest.mjs'), 'run', ...flags, ...paths];
  const { output } = await run(command, { cwd: folder, limitMs: RUN_MS });
  let results;
  try {
    results = JSON.parse(readFileSync(outcome, 'utf8')).testResults;
  } catch {
    throw new Error(`vitest wrote no results: ${output.trim().slice(-2000)}`);
  }
  return results.flatMap(({ name, assertionResults, message }) => {
    const file = relative(folder, name).replaceAll(sep, '/');
    // A file whose imports fail has no tests to name.
    if (assertionResults.length === 0)
      return [{ file, title: '(the file does not load)', passed: false, error: message }];
    return assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ fullName, status, failureMessages }) => ({
        file,
        title: fullName,
        passed: status === 'passed',
        ...(status === 'failed' && { error: failureMessages.join('\n') }),
      }));
  });
}

/** @returns {Promise<{ file: string, line: number, text: string }[]>} */
export async function compileTests(folder) {
  const command = [...tool(folder, 'typescript', 'bin', 'tsc'), '--noEmit', '--pretty', 'false'];
  const { output } = await run(command, { cwd: folder, limitMs: RUN_MS });
  return [...output.matchAll(/^(\S+)\((\d+),\d+\): error (.*)$/gm)].map(([, file, line, text]) => ({
    file,
    line: Number(line),
    text,
  }));
}
