import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { CitedByFailures } from './scripts/requirements/reporter.mjs';

const EVERY = [
  'packages/*/test/**/*.test.ts',
  'examples/**/*.test.ts',
  'bench/test/*.test.mjs',
  'fuzz/test/*.test.mjs',
  'scripts/test/*.test.mjs',
  'site/test/*.test.mjs',
];

/**
 * Files that leave nothing behind in their process: they share one for each worker, so that what they import is loaded once. For 31 small
 * files that is 9 s of processor time instead of 22 s.
 */
const SHARING = [
  'packages/crosspoint/test/{apps,asking,client,composition,extensions,jsonrpc,middleware,openapi,peer,protocol}/**/*.test.ts',
  'packages/crosspoint/test/{requirements,revisions,schema,skills,tasks,testing,transcripts,watching,wire}/**/*.test.ts',
  // Not what the first use in a process loads.
  'packages/crosspoint/test/server/**/!(late).test.ts',
  'packages/sdk/test/types/**/*.test.ts',
];

const exclude = ['**/node_modules/**', '**/dist/**'];
const patience = { testTimeout: 40_000, hookTimeout: 40_000 };

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'sharing', include: SHARING, exclude, isolate: false, ...patience } },
      { test: { name: 'apart', include: EVERY, exclude: [...exclude, ...SHARING], ...patience } },
    ],
    // Without it, a machine with two cores would run one file at a time, and wait whenever that file does.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    globalSetup: ['scripts/bundle.mjs'],
    reporters: [
      process.env['CI'] ? 'default' : ['default', { summary: false }],
      new CitedByFailures(),
      ['json', { outputFile: '.cache/test-report.json' }],
    ],
  },
});
