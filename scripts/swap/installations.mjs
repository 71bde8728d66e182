// Installs published packages as their users would, with and without the override. What is installed is kept for the next run.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../packages.mjs';
import { npmCommand } from '../runtimes/install.mjs';
import { run } from '../runtimes/processes.mjs';

const INSTALL_MS = 300_000;
const V1 = '@modelcontextprotocol/sdk';
const PROGRAMS = join(ROOT, 'scripts', 'swap', 'programs');

/** Outside of the repository, so that nothing is found in its `node_modules` by accident. Its path is remembered in `.cache`. */
export function workFolder(purpose = 'swap') {
  const note = join(ROOT, '.cache', `${purpose}-folder`);
  const known = existsSync(note) ? readFileSync(note, 'utf8') : '';
  if (known !== '' && existsSync(known)) return known;
  const made = mkdtempSync(join(tmpdir(), `crosspoint-${purpose}-`));
  mkdirSync(dirname(note), { recursive: true });
  writeFileSync(note, made);
  return made;
}

/**
 * What a program lists. A package that it depends on itself is overridden by naming the alias as the dependency and referring to it; npm
 * refuses an override that says something else than the dependency.
 */
function manifestOf(dependencies, alias) {
  const listed = { ...dependencies };
  if (alias === undefined) return { private: true, type: 'module', dependencies: listed };
  const isDirect = Object.hasOwn(listed, V1);
  if (isDirect) listed[V1] = alias;
  return { private: true, type: 'module', dependencies: listed, overrides: { [V1]: isDirect ? `$${V1}` : alias } };
}

const dependenciesOf = ({ name, version, beside }) => ({ [name]: version, ...beside });

async function npmInstall(folder, manifest, registry) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const flags = [
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--ignore-scripts',
    '--prefer-offline',
    '--loglevel=error',
  ];
  const command = npmCommand(['install', ...(registry === undefined ? [] : [`--registry=${registry}`]), ...flags]);
  const { code, output } = await run(command, { cwd: folder, limitMs: INSTALL_MS });
  if (code !== 0) throw new Error(`npm install failed: ${output.trim().slice(-800)}`);
}

/** Installs into a folder that is named after everything it depends on, unless it is there. An older one for the same purpose is removed. */
async function installOnce({ work, purpose, manifest, releases = [], registry, programs = [PROGRAMS] }) {
  const parts = [manifest, releases.map(({ integrity }) => integrity)];
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);
  const folder = join(work, `${purpose}-${key}`);
  if (!existsSync(folder)) {
    for (const other of readdirSync(work))
      if (other.replace(/-[^-]*$/, '') === purpose) rmSync(join(work, other), { recursive: true, force: true });
    const unfinished = join(work, `${purpose}-unfinished`);
    await npmInstall(unfinished, manifest, registry);
    renameSync(unfinished, folder);
  }
  for (const one of programs) cpSync(one, folder, { recursive: true });
  return folder;
}

const purposeOf = (how, { name }) => `${how}-${name.replaceAll(/\W+/g, '_')}`;

/** One package, alone, with @crosspoint/sdk in the place of v1. */
export function installSwapped(published, { work, releases, registry }) {
  const { version } = releases.find(({ name }) => name === '@crosspoint/sdk');
  const manifest = manifestOf(dependenciesOf(published), `npm:@crosspoint/sdk@${version}`);
  return installOnce({ work, purpose: purposeOf('swapped', published), manifest, releases, registry });
}

/** The same package with v1, which the swapped one is compared with. */
export function installOriginal(published, { work, registry }) {
  const manifest = manifestOf(dependenciesOf(published));
  return installOnce({ work, purpose: purposeOf('original', published), manifest, registry });
}

/** A package as it is published, from the registry that npm is configured with, with the programs of this folder and of another one. */
export function installPublished(published, { work, programs }) {
  const manifest = manifestOf(dependenciesOf(published));
  return installOnce({
    work,
    purpose: purposeOf(published.side, published),
    manifest,
    programs: [PROGRAMS, programs],
  });
}

/** Every copy of what the programs import as v1, by the name it was published under. */
export function sdkCopiesIn(folder) {
  const copies = [];
  const visit = (modules) => {
    if (!existsSync(modules)) return;
    for (const name of readdirSync(modules)) {
      if (name.startsWith('.')) continue;
      const names = name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => join(name, inner)) : [name];
      for (const one of names) {
        const manifest = join(modules, one, 'package.json');
        if (one === join(...V1.split('/')) && existsSync(manifest))
          copies.push(JSON.parse(readFileSync(manifest, 'utf8')).name);
        visit(join(modules, one, 'node_modules'));
      }
    }
  };
  visit(join(folder, 'node_modules'));
  return copies;
}

/** Runs something while the package is not there. */
export async function withoutSdk(folder, act) {
  const [here, away] = [join(folder, 'node_modules', V1), join(folder, 'node_modules', '.away')];
  renameSync(here, away);
  try {
    return await act();
  } finally {
    renameSync(away, here);
  }
}
