// Brings a fresh clone to the point where anything can run: dependencies as locked, sources built.
// Each step is skipped when its result is already up to date; --build asks for the build alone to be redone.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGES } from './packages.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Crosspoint needs Node 20.19 or later; this is ${process.version}.`);
  process.exit(1);
}

/** Runs a step. All messages go to stderr: stdout belongs to the command that follows. */
function run(what, command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: false,
  });
  if (error || status !== 0) {
    console.error(`${what} failed${error ? `: ${error.message}` : ''}.`);
    process.exit(status || 1);
  }
}

const lock = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');
const mark = join(root, 'node_modules', '.crosspoint-installed');
if (!existsSync(mark) || readFileSync(mark, 'utf8') !== lock) {
  console.error('Installing dependencies …');
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env['npm_execpath'];
  if (npm) run('npm ci', process.execPath, [npm, ...args]);
  else run('npm ci', 'npm', args);
  mkdirSync(dirname(mark), { recursive: true });
  writeFileSync(mark, lock);
}

/** Removes compiled files whose sources are gone: they must not be tested or published. */
function prune(dist, sources, made) {
  if (!existsSync(dist)) return;
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const source = made.exec(name)?.[1];
    if (source !== undefined && !existsSync(join(sources, `${source}.ts`))) rmSync(join(dist, name));
  }
}
for (const { folder } of PACKAGES) prune(join(folder, 'dist'), join(folder, 'src'), /^(.*?)\.d\.ts$/);
prune(join(root, 'examples/dist'), join(root, 'examples'), /^(.*?)(?:\.d\.ts|\.js)(?:\.map)?$/);

const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
run('The build', process.execPath, [tsc, '-b', ...(process.argv.includes('--build') ? ['--force'] : [])]);
run('Bundling', process.execPath, [join(root, 'scripts', 'bundle.mjs')]);
