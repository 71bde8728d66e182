import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LIBRARY, ROOT } from './programs.ts';

const MOST_PACKAGES = 12;
const MOST_BYTES = 3_740_000;

function folderOf(name: string, from: string): string {
  const nested = join(from, 'node_modules', name);
  return existsSync(nested) ? nested : join(ROOT, 'node_modules', name);
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** The dependencies of a package and of those in turn, each once, by where they are. */
function closure(folder: string, found: Set<string> = new Set()): Set<string> {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const path = folderOf(name, folder);
    if (found.has(path)) continue;
    found.add(path);
    closure(path, found);
  }
  return found;
}

const isOurs = (folder: string): boolean => /[\\/]@crosspoint[\\/][^\\/]+$/.test(folder);

function publishedBytes(cwd: string): number {
  const npm = process.env['npm_execpath'];
  const args = ['pack', '--dry-run', '--json', '--loglevel=error'];
  const [command, rest] = npm === undefined ? ['npm', args] : [process.execPath, [npm, ...args]];
  const { stdout } = spawnSync(command, rest, { cwd, encoding: 'utf8' });
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, { unpackedSize: number }>);
  return packed?.unpackedSize ?? Number.NaN;
}

describe('what an installation brings', () => {
  it('holds none of the optional peers', () => {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = JSON.parse(
      readFileSync(join(LIBRARY, 'package.json'), 'utf8'),
    ) as {
      peerDependencies?: Record<string, string>;
      peerDependenciesMeta?: Record<string, { optional?: boolean }>;
    };
    const peers = Object.keys(peerDependencies);
    expect(peers).toContain('zod');
    // A peer that is not marked so is installed by npm.
    expect(peers.filter((name) => peerDependenciesMeta[name]?.optional !== true)).toEqual([]);
    const brought = [...closure(LIBRARY)].map((folder) => folder.replaceAll('\\', '/').split('/node_modules/').at(-1));
    expect(brought.filter((name) => peers.includes(name ?? ''))).toEqual([]);
  });

  it(`is no more than ${MOST_PACKAGES} packages and ${MOST_BYTES} bytes`, () => {
    const others = [...closure(LIBRARY)];
    expect(others.length).toBeGreaterThan(0);
    expect(others.length + 1).toBeLessThanOrEqual(MOST_PACKAGES);
    const bytes = others.reduce(
      (sum, folder) => sum + (isOurs(folder) ? publishedBytes(folder) : bytesIn(folder)),
      publishedBytes(LIBRARY),
    );
    expect(bytes).toBeGreaterThan(1_000_000);
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  });
});
