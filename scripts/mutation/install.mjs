import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../packages.mjs';

const FOLDER = join(ROOT, 'scripts', 'mutation');
const MODULES = join(FOLDER, 'node_modules');
const MARK = join(MODULES, '.installed');

export const TOOL = join(MODULES, '@stryker-mutator', 'core', 'bin', 'stryker.js');
export const RUNNER = join(MODULES, '@stryker-mutator', 'vitest-runner', 'dist', 'src', 'index.js');

/** Installs the tool as locked, unless it is there: 167 packages, 65 MB, which nothing else needs. */
export function installTool() {
  const lock = createHash('sha256')
    .update(readFileSync(join(FOLDER, 'package-lock.json')))
    .digest('hex');
  if (existsSync(MARK) && readFileSync(MARK, 'utf8') === lock) return;
  console.error('Installing the tool into scripts/mutation/node_modules …');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env['npm_execpath'];
  const [command, ...rest] = npm ? [process.execPath, npm, ...args] : ['npm', ...args];
  const { status, error } = spawnSync(command, rest, { cwd: FOLDER, stdio: ['ignore', 2, 2] });
  if (error || status !== 0) throw new Error(`The tool could not be installed${error ? `: ${error.message}` : ''}.`);
  writeFileSync(MARK, lock);
}
