// Reads a page of the guide as its reader does: which file a block is saved as, and what stands under a heading.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../packages.mjs';

const FENCE = /^```(\w*)[^\n]*\n([\s\S]*?)^```/gm;

export function readPage(path) {
  const text = readFileSync(join(ROOT, path), 'utf8');
  /** The first block after a place, in one of these languages. */
  const blockAfter = (at, languages, what) => {
    for (const { index, 1: language, 2: block } of text.matchAll(FENCE))
      if (index > at && languages.includes(language)) return block;
    throw new Error(`${path} has no block for ${what}.`);
  };
  const placeOf = (words) => {
    const at = text.indexOf(words);
    if (at === -1) throw new Error(`${path} does not say: ${words}`);
    return at;
  };
  return {
    /** The program that the reader is told to save as `file`. */
    program: (file) => blockAfter(placeOf(`Save this as \`${file}\``), ['js'], file),
    /** The value of the first JSON block after these words. */
    json: (words) => JSON.parse(blockAfter(placeOf(words), ['json'], words)),
    /** The first block without a language after these words: what is printed. */
    printed: (words) => blockAfter(placeOf(words), [''], words),
    /** The words of the first command after these words. */
    command: (words) => blockAfter(placeOf(words), ['sh'], words).trim().split('\n')[0].split(' '),
  };
}
