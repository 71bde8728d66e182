import { defineConfig } from 'vitest/config';
import { CitedByFailures } from './scripts/requirements/reporter.mjs';

export default defineConfig({
  test: {
    include: [
      'packages/*/test/**/*.test.ts',
      'examples/**/*.test.ts',
      'bench/test/*.test.mjs',
      'fuzz/test/*.test.mjs',
      'scripts/test/*.test.mjs',
      'site/test/*.test.mjs',
    ],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: ['scripts/bundle.mjs'],
    testTimeout: 40_000,
    hookTimeout: 40_000,
    reporters: [
      process.env['CI'] ? 'default' : ['default', { summary: false }],
      new CitedByFailures(),
      ['json', { outputFile: '.cache/test-report.json' }],
    ],
  },
});
