/** The files of a target in `.cache/fuzz/`: the cursor of the next run, inputs worth varying, the running input, and the findings. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../.cache/fuzz/', import.meta.url));
const MOST_KEPT = 200;
const MOST_BYTES = 16 * 1024;

export class Shelf {
  #folder;
  #current;
  #file;
  cursor = 0;
  /** @type {{ sign: string, input: unknown }[]} */
  kept = [];

  /** @param {{ isFresh: boolean }} options fresh: a run that must not depend on earlier ones */
  constructor(target, { isFresh }) {
    this.#folder = join(root, target);
    mkdirSync(this.#folder, { recursive: true });
    this.#current = join(this.#folder, 'current.json');
    this.#file = join(this.#folder, isFresh ? 'kept-of-seed.json' : 'kept.json');
    if (isFresh || !existsSync(this.#file)) return;
    try {
      const { cursor, kept } = JSON.parse(readFileSync(this.#file, 'utf8'));
      this.cursor = cursor;
      this.kept = kept;
    } catch {
      // Cut short by the end of a run: the next starts with an empty list.
    }
  }

  /** Writes inputs to disk before they are run: if the process ends, the last one can be read. */
  journal() {
    const file = openSync(this.#current, 'w');
    return {
      note(input) {
        const length = writeSync(file, JSON.stringify(input), 0, 'utf8');
        ftruncateSync(file, length);
      },
      close: () => closeSync(file),
    };
  }

  lastInput() {
    try {
      return JSON.parse(readFileSync(this.#current, 'utf8'));
    } catch {
      return undefined;
    }
  }

  /** Keeps an input with a new sign. */
  keep(sign, input) {
    if (this.kept.length >= MOST_KEPT || this.kept.some((each) => each.sign === sign)) return;
    if (JSON.stringify(input).length <= MOST_BYTES) this.kept.push({ sign, input });
  }

  save() {
    writeFileSync(this.#file, JSON.stringify({ cursor: this.cursor, kept: this.kept }));
  }

  /** Writes a reproducing file and returns its path. */
  saveFinding({ target, faults, input }) {
    const folder = join(root, 'findings');
    mkdirSync(folder, { recursive: true });
    const name = createHash('sha256').update(JSON.stringify(input)).digest('hex').slice(0, 12);
    const path = join(folder, `${target}-${faults[0]?.kind ?? 'fault'}-${name}.json`);
    const about = faults.map(({ kind, what }) => `${kind}: ${what}`);
    writeFileSync(path, `${JSON.stringify({ target, about, input }, undefined, 2)}\n`);
    return path;
  }
}
