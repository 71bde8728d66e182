import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { sourceAliases } from './scripts/packages.mjs';
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
  'packages/{apps,json-schema,openapi,skills}/test/**/*.test.ts',
  'packages/crosspoint/test/{asking,client,composition,extensions,jsonrpc,middleware,peer,protocol}/**/*.test.ts',
  'packages/crosspoint/test/{requirements,revisions,schema,tasks,testing,transcripts,watching,wire}/**/*.test.ts',
  // Not what the first use in a process loads.
  'packages/crosspoint/test/server/**/!(late).test.ts',
  'packages/sdk/test/types/**/*.test.ts',
];

/** Tests of packages that share sources: each entry stands for its source there, so that a class exists once. Other tests meet the built packages. */
const FROM_SOURCES = [
  'packages/{crosspoint,openapi,recording,skills,apps,authorization-server,json-schema}/test/**/*.test.ts',
  'packages/sdk/test/auth/**/*.test.ts',
];

/**
 * Files that start or kill many processes, flood a bridge, open a browser or keep a cluster of Redis: `npm run test:long`. They take as long as half of the others;
 * `npm test` has others of the same parts.
 */
const LONG = [
  'packages/cli/test/{offers,questions}/**/*.test.ts',
  'packages/cli/test/{bridge/authorization,bridge/program,shell/shell}.test.ts',
  'packages/cli/test/{chat,completion,consent,faults,interruption,keeper,servers}.test.ts',
  'packages/create/test/templates.test.ts',
  'packages/crosspoint/test/nodes/chaos.test.ts',
  'packages/crosspoint/test/stores/{crash,redis-cluster,redis-failover,redis-spread}.test.ts',
  'packages/crosspoint/test/tasks/failover.test.ts',
  'packages/gateway/test/hostile/{clients,floods,servers}.test.ts',
  'packages/gateway/test/{killed,matrix}/**/*.test.ts',
  'packages/host/test/agent/kill.test.ts',
  'packages/sdk/test/programs.test.ts',
  'site/test/site.test.mjs',
];
const isLong = process.env['TEST_PART'] === 'long';
const isShort = process.env['TEST_PART'] === 'short';

const alias = sourceAliases();
const exclude = ['**/node_modules/**', '**/dist/**', ...(isShort ? LONG : [])];
const patience = { testTimeout: 40_000, hookTimeout: 40_000 };

export default defineConfig({
  test: {
    projects: [
      ...(isLong
        ? []
        : [{ resolve: { alias }, test: { name: 'sharing', include: SHARING, exclude, isolate: false, ...patience } }]),
      {
        resolve: { alias },
        test: {
          name: 'apart',
          include: isLong ? LONG.filter((glob) => glob.startsWith('packages/crosspoint/')) : FROM_SOURCES,
          exclude: isLong ? exclude : [...exclude, ...SHARING],
          ...patience,
        },
      },
      {
        test: {
          name: 'built',
          include: isLong ? LONG : EVERY,
          exclude: [...exclude, ...SHARING, ...FROM_SOURCES],
          ...patience,
        },
      },
    ],
    // Without it, a machine with two cores would run one file at a time, and wait whenever that file does.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    globalSetup: ['scripts/bundle.mjs'],
    reporters: [
      process.env['CI'] ? 'default' : ['default', { summary: false }],
      new CitedByFailures(),
      ['json', { outputFile: isLong ? '.cache/long-test-report.json' : '.cache/test-report.json' }],
    ],
  },
});
