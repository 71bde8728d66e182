import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..');
const MARK = join(FOLDER, 'node_modules', '.bench-installed');

/** Installs the peers as locked into the folder of the benchmark, unless they are there. The workspace never depends on them. */
export function installPeers() {
  const lock = createHash('sha256')
    .update(readFileSync(join(FOLDER, 'package-lock.json')))
    .digest('hex');
  if (existsSync(MARK) && readFileSync(MARK, 'utf8') === lock) return;
  console.error('Installing the peers into bench/node_modules …');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env['npm_execpath'];
  const [command, ...rest] = npm ? [process.execPath, npm, ...args] : ['npm', ...args];
  const { status, error } = spawnSync(command, rest, { cwd: FOLDER, stdio: ['ignore', 2, 2] });
  if (error || status !== 0) throw new Error(`The peers could not be installed${error ? `: ${error.message}` : ''}.`);
  writeFileSync(MARK, lock);
}

/** The version of each peer, as installed. */
export function peerVersions() {
  const { dependencies } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8'));
  return dependencies;
}
