// npm run matrix: every client with every server, directly and through the bridge, and more random conversations than `npm test` has.
import { spawnSync } from 'node:child_process';
import { ROOT } from './packages.mjs';

const FOLDERS = ['packages/gateway/test/matrix', 'packages/gateway/test/property'];
const { status } = spawnSync('npx', ['vitest', 'run', '--reporter=default', ...FOLDERS, ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, MATRIX: 'whole', RUNS: '40', LIMIT_MS: '30000' },
});
process.exitCode = status ?? 1;
