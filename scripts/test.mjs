// npm test, npm run test:long: the tests, in two parts. The long part starts and kills hundreds of processes, and takes as long as half of the others.
// Files that are named are run, whatever part they are of.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './packages.mjs';

const args = process.argv.slice(2);
const isLong = args[0] === '--long';
const rest = isLong ? args.slice(1) : args;
const isWhole = rest.length > 0 && !isLong;
const { status } = spawnSync(process.execPath, [join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...rest], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, ...(!isWhole && { TEST_PART: isLong ? 'long' : 'short' }) },
});
process.exitCode = status ?? 1;
