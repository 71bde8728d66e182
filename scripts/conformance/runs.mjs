import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { argumentsOfSet } from './scenarios.mjs';
import { root, runSuite } from './suite.mjs';
import { judge, readChecks } from './verdict.mjs';

export const SCENARIO_MS = 30_000;
const SET_MS = 300_000;
const START_MS = 20_000;
export const results = join(root, '.cache', 'conformance');

/** Starts a program under test on a free port; `said` is the line that it prints once it can be called. */
export function startProgram(name, ...args) {
  const child = spawn(process.execPath, [join('conformance', name), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The server did not start.')), START_MS);
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)));
    child.once('error', reject);
    child.stdout.setEncoding('utf8').once('data', (line) => {
      clearTimeout(timer);
      resolve({ said: line.trim(), stop: () => child.kill('SIGKILL') });
    });
  });
}

/**
 * Runs one scenario in a process of its own, so that the client's exit is checked too. `subject` is the address of the server under test or the command
 * of the client; `folder` is where the suite leaves its records.
 */
export async function runAlone({ name, leg, set, revision }, node, { subject, folder }) {
  const into = join(folder, leg, set, name);
  const words = revision === undefined ? [] : ['--spec-version', revision, '--force'];
  const option = leg === 'server' ? '--url' : '--command';
  const args = [leg, option, subject, '--scenario', name, ...words, '--timeout', String(SCENARIO_MS), '-o', into];
  const { code, output } = await runSuite(node, args, 2 * SCENARIO_MS);
  return { ...judge(name, readChecks(into).get(name), code === 0), output };
}

/** Runs whole sets against a server, which is one process throughout and has no exit to check. */
export function createServerRuns(node, { subject, folder }) {
  const runs = new Map();
  return async ({ name, set }) => {
    if (!runs.has(set)) {
      const into = join(folder, 'server', set);
      const args = ['server', '--url', subject, ...argumentsOfSet(set), '--timeout', String(SCENARIO_MS), '-o', into];
      runs.set(
        set,
        runSuite(node, args, SET_MS).then(() => readChecks(into)),
      );
    }
    return judge(name, (await runs.get(set)).get(name), true);
  };
}
