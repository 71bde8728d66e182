import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

export interface Manifest {
  /** Files of JavaScript have a form for `require()`; others, such as package.json, are one file. */
  readonly exports: Readonly<Record<string, string | null | { readonly require: string; readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly imports?: Readonly<Record<string, unknown>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** The package as it would be published, in an application that has its declared dependencies and nothing else. */
export interface Packed {
  readonly folder: string;
  readonly manifest: Manifest;
  /** Every file of the package, relative to it. */
  readonly files: readonly string[];
  read(file: string): string;
  /** Runs a program in the application and gives what it printed. */
  run(code: string, ...flags: string[]): string;
  /** Installs the optional peers, too. */
  addPeers(): void;
  remove(): void;
}

/** Outside of the workspace, so that nothing is found in its `node_modules` by accident. Packages of this repository that it needs are packed, too. */
export function pack(name = 'crosspoint'): Packed {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-packed-'));
  const manifest = unpack(name, folder);
  const library = join(folder, 'node_modules', name);
  return {
    folder,
    manifest,
    files: readdirSync(library, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/')),
    read: (file) => readFileSync(join(library, file), 'utf8'),
    run: (code, ...flags) =>
      check(spawnSync(process.execPath, [...flags, '--eval', code], { cwd: folder, encoding: 'utf8' })),
    addPeers: () => {
      for (const peer of Object.keys(manifest.peerDependencies ?? {})) link(peer, folder);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Puts a package into the application as npm would, with its dependencies. */
function unpack(name: string, folder: string): Manifest {
  const library = join(folder, 'node_modules', name);
  mkdirSync(library, { recursive: true });
  const npm = process.env['npm_execpath'];
  const args = ['pack', '--pack-destination', library, '--loglevel=error'];
  const [command, rest] = npm === undefined ? ['npm', args] : [process.execPath, [npm, ...args]];
  check(spawnSync(command, rest, { cwd: sourceOf(name), encoding: 'utf8' }));
  const [tarball = ''] = readdirSync(library).filter((file) => file.endsWith('.tgz'));
  check(spawnSync('tar', ['-xzf', tarball, '--strip-components=1'], { cwd: library, encoding: 'utf8' }));
  rmSync(join(library, tarball));
  const written = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8')) as Manifest;
  const manifest: Manifest = { ...written, dependencies: { ...written.dependencies } };
  for (const dependency of Object.keys(manifest.dependencies)) {
    if (existsSync(sourceOf(dependency))) unpack(dependency, folder);
    else link(dependency, folder);
  }
  return manifest;
}

/** Where a package of this repository is. */
const sourceOf = (name: string): string => join(ROOT, 'packages', name.replace(/^@crosspoint\//, ''));

function link(name: string, folder: string): void {
  const nested = join(ROOT, 'packages', 'crosspoint', 'node_modules', name);
  const target = join(folder, 'node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
  if (!existsSync(target))
    symlinkSync(existsSync(nested) ? nested : join(ROOT, 'node_modules', name), target, 'junction');
}

function check({
  status,
  stdout,
  stderr,
  error,
}: {
  status: number | null;
  stdout: string;
  stderr: string;
  error?: Error;
}): string {
  if (status !== 0) throw new Error(error?.message ?? stderr);
  return stdout;
}
