import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARY = 'packages/crosspoint';
/** Paths that keep the names of the official SDK are listed, and described where their own names are. */
const FAMILIAR = /^\.\/dist\/compat\//;

/** What the package can be imported as: its own entries with their declarations, and the familiar paths by name. */
export function packageEntries(root) {
  const manifest = JSON.parse(readFileSync(join(root, LIBRARY, 'package.json'), 'utf8'));
  const all = Object.entries(manifest.exports).flatMap(([path, value]) => {
    const target = typeof value === 'string' ? value : (value?.default ?? value?.import);
    if (typeof target !== 'string' || !target.endsWith('.js')) return [];
    const name = path === '.' ? manifest.name : `${manifest.name}${path.slice(1)}`;
    return [{ name, target, file: join(root, LIBRARY, target.replace(/\.js$/, '.d.ts')) }];
  });
  return {
    own: all.filter(({ target }) => !FAMILIAR.test(target)),
    familiar: all.filter(({ target }) => FAMILIAR.test(target)).map(({ name }) => name),
  };
}
