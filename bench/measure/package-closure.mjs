// The packages of an installation, found by walking the dependencies of packages that are already there.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** The folder in which Node would find a package that is imported from another folder. */
function locate(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (dirname(folder) === folder) return undefined;
  }
}

/** The packages a manifest brings: its dependencies, and the peers that npm installs by itself. */
function dependenciesOf({
  dependencies = {},
  optionalDependencies = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}) {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers];
}

/** Files and bytes of a package itself, without packages inside it. */
function measureFolder(folder) {
  let files = 0;
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const inside = measureFolder(path);
      files += inside.files;
      bytes += inside.bytes;
    } else if (entry.isFile()) {
      files += 1;
      bytes += statSync(path).size;
    }
  }
  return { files, bytes };
}

/**
 * Every package that an installation of the named ones would bring.
 * @param {string[]} names
 * @param {string} from the folder they are looked for in
 * @param {(folder: string) => { files: number, bytes: number }} [measure] files and bytes of one package
 */
export function closureOf(names, from, measure = measureFolder) {
  const seen = new Map();
  const visit = (name, asker) => {
    const folder = locate(name, asker);
    if (folder === undefined || seen.has(folder)) return;
    const manifest = manifestOf(folder);
    seen.set(folder, measure(folder));
    for (const dependency of dependenciesOf(manifest)) visit(dependency, folder);
  };
  for (const name of names) visit(name, from);
  const total = { packages: seen.size, files: 0, bytes: 0 };
  for (const { files, bytes } of seen.values()) {
    total.files += files;
    total.bytes += bytes;
  }
  return total;
}

/** Files and bytes that a package of the workspace would publish; other packages are measured as installed. */
export function measurePublished(folder) {
  if (folder.includes(`${sep}node_modules${sep}`)) return measureFolder(folder);
  const npm = process.env['npm_execpath'];
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [command, ...rest] = npm ? [process.execPath, npm, ...args] : ['npm', ...args];
  const { stdout, error } = spawnSync(command, rest, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (error) throw error;
  const [packed] = Object.values(JSON.parse(stdout));
  return { files: packed.entryCount, bytes: packed.unpackedSize };
}
