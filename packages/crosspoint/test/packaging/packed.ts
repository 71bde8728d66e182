import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

export interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
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

/** Outside of the workspace, so that nothing is found in its `node_modules` by accident. */
export function pack(): Packed {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-packed-'));
  const library = join(folder, 'node_modules', 'crosspoint');
  mkdirSync(library, { recursive: true });
  const npm = process.env['npm_execpath'];
  const args = ['pack', '--pack-destination', folder, '--loglevel=error'];
  const [command, rest] = npm === undefined ? ['npm', args] : [process.execPath, [npm, ...args]];
  check(spawnSync(command, rest, { cwd: join(ROOT, 'packages', 'crosspoint'), encoding: 'utf8' }));
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  check(spawnSync('tar', ['-xzf', join(folder, tarball), '-C', library, '--strip-components=1'], { encoding: 'utf8' }));
  const manifest = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8')) as Manifest;
  for (const name of Object.keys(manifest.dependencies)) link(name, folder);
  return {
    folder,
    manifest,
    files: readdirSync(library, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/')),
    read: (file) => readFileSync(join(library, file), 'utf8'),
    run: (code, ...flags) =>
      check(spawnSync(process.execPath, [...flags, '--eval', code], { cwd: folder, encoding: 'utf8' })),
    addPeers: () => {
      for (const name of Object.keys(manifest.peerDependencies)) link(name, folder);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function link(name: string, folder: string): void {
  const nested = join(ROOT, 'packages', 'crosspoint', 'node_modules', name);
  const target = join(folder, 'node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
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
