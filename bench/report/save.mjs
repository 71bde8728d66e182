import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..', 'results');

/** Writes what a run found. */
export function saveResults(result) {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'latest.json'), `${JSON.stringify(result, null, 1)}\n`);
  console.error('Written: bench/results/latest.json');
}
