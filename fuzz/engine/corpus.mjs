/** The inputs that once showed a fault: `fuzz/corpus/<target>/<name>.json`. */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join, relative } from 'node:path';

const folder = fileURLToPath(new URL('../corpus/', import.meta.url));

/** The fields of a file; throws where there is no input for a known target in it. */
export function readCase(path, targets) {
  const { target, about, input } = JSON.parse(readFileSync(path, 'utf8'));
  if (targets[target] === undefined || input === undefined)
    throw new Error(`${path} names no target of ${Object.keys(targets).join(', ')}, or has no input.`);
  return {
    file: relative(folder, path)
      .replaceAll('\\', '/')
      .replace(/\.json$/, ''),
    target,
    about,
    input,
  };
}

export function readCorpus(targets) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json') && name !== 'pending.json')
    .sort()
    .map((name) => readCase(join(folder, name), targets));
}

/** Names of inputs whose fault is known and not fixed yet: they are run and shown, and fail nothing. */
export const readPending = () => JSON.parse(readFileSync(join(folder, 'pending.json'), 'utf8'));
