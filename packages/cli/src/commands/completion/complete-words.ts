import type { CommandGroup } from '../../grammar/command.ts';
import { askedFor, type AskedFor } from './asked-for.ts';
import type { CandidatePlace } from './candidates.ts';

/** Milliseconds after which a shell gets what is known: nobody waits longer for a key. */
const LIMIT_MS = 1500;
const MOST = 500;
const LONGEST = 200;

/** Words that no shell acts on, and that are no option. Others would have to be quoted, differently in each shell: they are left out. */
const HARMLESS = /^[A-Za-z0-9_./@%+:,][A-Za-z0-9_./@%+:,=#-]*$/;

/** The words that the last of these words may become; `files`: it is the name of a file. */
export interface CompletedWords {
  readonly kind: 'words' | 'files';
  readonly found: readonly string[];
}

/** Completes the last of the words after "crosspoint". Takes at most 1.5 seconds. */
export async function completeWords(
  words: readonly string[],
  groups: readonly CommandGroup[],
  place: CandidatePlace,
): Promise<CompletedWords> {
  const current = words.at(-1) ?? '';
  const asked = await askedIn(words, groups);
  if (asked.kind === 'files') return { kind: 'files', found: [] };
  const known = asked.kind === 'lookup' ? await lookedUp(asked, current, place) : [];
  const all = asked.kind === 'words' ? asked.words : known.filter((word) => HARMLESS.test(word));
  const found = all.filter((word) => word.startsWith(current) && word.length <= LONGEST);
  return { kind: 'words', found: [...new Set(found)].slice(0, MOST) };
}

async function askedIn(words: readonly string[], groups: readonly CommandGroup[]): Promise<AskedFor> {
  const [first, second, ...rest] = words;
  const shown = groups.filter(({ isHidden }) => isHidden !== true).map(({ name }) => name);
  if (first === undefined || second === undefined) return { kind: 'words', words: [...shown, '--help', '--version'] };
  const commands = (await groups.find(({ name }) => name === first)?.load()) ?? [];
  const whole = commands.find(({ path }) => path.length === 1);
  if (whole !== undefined) return askedFor(whole, [second, ...rest]);
  if (rest.length === 0) return { kind: 'words', words: [...commands.map(({ path }) => path[1] ?? ''), '--help'] };
  const command = commands.find(({ path }) => path[1] === second);
  return command === undefined ? { kind: 'nothing' } : askedFor(command, rest);
}

async function lookedUp(
  asked: AskedFor & { kind: 'lookup' },
  current: string,
  place: CandidatePlace,
): Promise<readonly string[]> {
  const { candidates } = await import('./candidates.ts');
  const limit = AbortSignal.timeout(LIMIT_MS);
  const late = new Promise<readonly string[]>((resolve) =>
    limit.addEventListener('abort', () => resolve([]), { once: true }),
  );
  const limited = { ...place, signal: AbortSignal.any([place.signal, limit]) };
  return Promise.race([candidates(asked, current, limited), late]);
}
