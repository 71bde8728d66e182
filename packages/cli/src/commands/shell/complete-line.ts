import { readdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { CommandGroup } from '../../grammar/command.ts';
import type { CandidatePlace } from '../completion/candidates.ts';
import { completeWords } from '../completion/complete-words.ts';
import { splitLine } from './split-words.ts';

/** First words that only a shell has. */
const OWN_WORDS = ['help', 'exit'];
/** Ends of words after which more of the same word follows. */
const OPEN_END = /[=/#]$/;

/** The words that the last word of a line may become, and that word, as `readline` wants them. One alone is followed by a space. */
export async function completeLine(
  line: string,
  groups: readonly CommandGroup[],
  place: CandidatePlace,
): Promise<[found: string[], current: string]> {
  const { words, openQuote, isInWord } = splitLine(line);
  const current = isInWord ? (words.at(-1) ?? '') : '';
  // A word with quotes is not on the line as it is meant, and cannot be replaced.
  if (openQuote !== undefined || !line.endsWith(current)) return [[], current];
  const typed = isInWord ? words : [...words, ''];
  const own = typed[0] === 'crosspoint' && typed.length > 1 ? typed.slice(1) : typed;
  const asked = own[0] === 'help' && own.length > 1 ? own.slice(1) : own;
  const { kind, found } = await completeWords(asked, groups, place).catch(() => ({ kind: 'words', found: [] }));
  const all = kind === 'files' ? await filesLike(current, place.cwd) : found;
  const more = own.length === 1 ? OWN_WORDS.filter((word) => word.startsWith(current)) : [];
  const hits = [...all, ...more].filter((word) => own.length > 1 || !word.startsWith('--') || current.startsWith('-'));
  const [only] = hits;
  return [hits.length === 1 && only !== undefined && !OPEN_END.test(only) ? [`${only} `] : hits, current];
}

async function filesLike(typed: string, cwd: string): Promise<readonly string[]> {
  const folder = typed.endsWith('/') ? typed : dirname(typed);
  const shown = typed.includes('/') ? typed.slice(0, typed.lastIndexOf('/') + 1) : '';
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true }).catch(() => []);
  return entries
    .map((entry) => `${shown}${entry.name}${entry.isDirectory() ? '/' : ''}`)
    .filter((name) => name.startsWith(typed) && !/[\s"'\\\p{C}]/u.test(name))
    .filter((name) => typed.slice(shown.length).startsWith('.') || !name.slice(shown.length).startsWith('.'))
    .sort();
}
