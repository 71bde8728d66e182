/** Characters of a text that are looked at, and words of it that count: a text that is stuffed with words gains nothing by its end. */
const MAX_TEXT = 4000;
const MAX_WORD = 40;

const MARKS = /\p{M}+/gu;
/** A small letter or digit before a capital (`readFile`), and the last capital of an acronym before a word (`HTMLPage`). */
const HUMPS = /(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
const WORDS = /[\p{L}\p{N}]+/gu;
/** Scripts that put no spaces between words. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+$/u;

/** Words that say nothing about which tool is meant. */
const EMPTY = new Set(
  `a about above according after again all also always am an and any are as at be because been before being below between both but by can could did do
  does doing don down during each e.g else etc few for from further g had has have having he her here hers him his how i if important in into is it its
  just ll many may me might more most must my need no nor not now of off on once only or other our out over own please provided s same she should so
  some such t than that the their them then there these they this those through to too tool under until up us use used useful user using very via want was
  we were what when where whether which while who whom why will with within without would you your`.split(/\s+/),
);

/**
 * The words of a text as they are compared: of `snake_case` and `kebab-case` the parts, of `camelCase` the parts and the whole, without accents, capitals
 * and endings, each once, in the order of their first place. At most `most` of them.
 */
export function wordsOf(text: string, most: number): string[] {
  return collected(text, most, (word) => {
    const parts = word.split(HUMPS);
    return parts.length > 1 ? [word, ...parts] : [word];
  });
}

/** The words of a query. `TypeScript` is one word of a sentence, and not a type of script; `readFile` alone is the name of a tool. */
export function queryWordsOf(text: string, most: number): string[] {
  return /\s/.test(text.trim()) ? collected(text, most, (word) => [word]) : wordsOf(text, most);
}

function collected(text: string, most: number, split: (word: string) => readonly string[]): string[] {
  const found = new Set<string>();
  // A surrogate pair that the cut takes apart is no letter, and falls away.
  // One character may become eighteen, so it is cut again.
  const plain = text.slice(0, MAX_TEXT).normalize('NFKD').slice(0, MAX_TEXT).replace(MARKS, '');
  for (const [match] of plain.matchAll(WORDS)) {
    for (const word of split(match.slice(0, MAX_WORD)).flatMap((part) => pieces(part.toLowerCase()))) {
      if (!EMPTY.has(word)) found.add(stemOf(word));
      if (found.size >= most) return [...found];
    }
  }
  return [...found];
}

/** A run of a script without spaces as its pairs of characters; any other word as it is. */
function pieces(word: string): string[] {
  if (!UNSPACED.test(word)) return [word];
  const characters = Array.from(word);
  if (characters.length < 3) return [word];
  return characters.slice(1).map((character, at) => `${characters[at] ?? ''}${character}`);
}

const LEAST_STEM = 3;
/** Letters before `er` in a word such as `linter`. */
const LEAST_ACTOR = 4;
const VOWEL = /[aeiouy]/;
/** Words that end like a form of another one. */
const WHOLE = new Set([
  'news',
  'string',
  'thing',
  'feed',
  'speed',
  'need',
  'bring',
  'spring',
  'series',
  'species',
  'always',
  'media',
]);

/** A word without the usual English endings, so that `files`, `renamed` and `merging` meet `file`, `rename` and `merge`. */
function stemOf(word: string): string {
  if (WHOLE.has(word)) return word;
  let stem = word;
  if (stem.length > 4 && stem.endsWith('ies')) stem = `${stem.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (stem.length > LEAST_STEM && /[^siu]s$/.test(stem)) stem = stem.slice(0, -1);
  const root = rootOf(stem);
  if (root.length >= LEAST_STEM) stem = undoubled(root);
  return stem.length > LEAST_STEM && stem.endsWith('e') ? stem.slice(0, -1) : stem;
}

/** The word before `ing`, `ed` or `er`; nothing where it has no such end, or no vowel before it. */
function rootOf(word: string): string {
  const root = word.endsWith('ing') ? word.slice(0, -3) : /e[dr]$/.test(word) ? word.slice(0, -2) : '';
  const isWord = VOWEL.test(root) && (root.length >= LEAST_ACTOR || !word.endsWith('er'));
  return isWord ? root : '';
}

/** `stopp` of `stopped` as `stop`; `call` of `called` as it is. */
function undoubled(stem: string): string {
  const last = stem.at(-1) ?? '';
  return stem.at(-2) === last && !'lsz'.includes(last) ? stem.slice(0, -1) : stem;
}
