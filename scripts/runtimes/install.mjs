import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGES } from '../packages.mjs';
import { run } from './processes.mjs';
import { SQLITE_VERSION } from './versions.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const cache = join(root, '.cache', 'runtimes');
const INSTALL_MS = 180_000;

/** The npm that started this process, or the one on the PATH. */
export function npmCommand(args) {
  const npm = process.env['npm_execpath'];
  return npm ? [process.execPath, npm, ...args] : [process.platform === 'win32' ? 'npm.cmd' : 'npm', ...args];
}

async function npm(args, cwd) {
  const { code, output } = await run(npmCommand([...args, '--no-audit', '--no-fund', '--loglevel=error']), {
    cwd,
    limitMs: INSTALL_MS,
  });
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed: ${output.trim().slice(-600)}`);
  return output;
}

function emptyFolder(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Without a package.json npm would look for one further up and install there.
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
}

/** Installs one package in a version into a folder of its own, unless it is there, and gives the package's folder. */
export async function installTool(name, version) {
  const folder = join(cache, `${name.split('/').at(-1)}-${version}`);
  const mark = join(folder, '.installed');
  if (!existsSync(mark)) {
    emptyFolder(folder);
    await npm(['install', '--save-exact', `${name}@${version}`], folder);
    writeFileSync(mark, '');
  }
  return join(folder, 'node_modules', ...name.split('/'));
}

/** A program that a package of `installTool` brings along. */
export async function installProgram(name, version) {
  const folder = await installTool(name, version);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[name]);
}

/** Packages that the examples and the programs of runtimes/ import, and those that they need. */
const IMPORTED = ['@crosspoint/json-schema', 'crosspoint', '@crosspoint/authorization-server'];

/** An application that has installed the packages as they would be published, with the examples and the programs of runtimes/ in it. */
export async function installApplication() {
  const folder = join(cache, 'application');
  emptyFolder(folder);
  for (const one of PACKAGES.filter(({ name }) => IMPORTED.includes(name)))
    await npm(['pack', '--pack-destination', folder], one.folder);
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  await npm(['install', ...tarballs.map((name) => `./${name}`), `@photostructure/sqlite@${SQLITE_VERSION}`], folder);
  for (const programs of [join('examples', 'runtimes'), 'runtimes'])
    cpSync(join(root, programs), join(folder, programs), { recursive: true });
  return folder;
}
