import { join } from 'node:path';
import { FOLDERS } from './folders.mjs';
import { RUNNER } from './install.mjs';
import { ROOT } from '../packages.mjs';

/** Parts of the repository that no test of a folder reads; the tool copies the rest. */
const NOT_COPIED = ['.cache', 'bench', 'conformance', 'fuzz', 'release', 'runtimes', 'site', 'packages/*/dist'];

/** The tool's settings for one folder. `work` is the folder for what it writes. */
export function settingsFor(name, { work, concurrency }) {
  return {
    testRunner: 'kept',
    plugins: [RUNNER, ...['runner.mjs', 'messages.mjs'].map((own) => join(ROOT, 'scripts', 'mutation', own))],
    ignorers: ['messages'],
    vitest: { configFile: 'scripts/mutation/vitest.config.mjs', related: false },
    mutate: FOLDERS[name].sources,
    // Each change meets only the tests that reach it.
    coverageAnalysis: 'perTest',
    ignoreStatic: FOLDERS[name].withoutStatic === true,
    concurrency,
    // Room for a second try by Stryker's own runner, on a machine with other work.
    timeoutMS: 20_000,
    timeoutFactor: 3,
    ignorePatterns: NOT_COPIED,
    tempDirName: join(work, `sandbox-${name}`),
    // Results of the last run are kept for changes whose source and tests are the same; `--fresh` forgets them.
    incremental: true,
    incrementalFile: join(work, `${name}.incremental.json`),
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: join(work, `${name}.report.json`) },
    // Vitest drops types unread, and a change may break them.
    disableTypeChecks: false,
    tsconfigFile: 'none',
    allowConsoleColors: false,
  };
}
