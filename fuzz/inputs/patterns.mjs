/** Regular expressions as JSON Schemas have them: most are good, some only look so. */
const ATOMS = [
  'a',
  'b',
  'ab',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '\\S',
  '\\W',
  '[ab]',
  '[^a]',
  '[a-z0-9_]',
  '[\\d\\-]',
  '\\p{L}',
  '\\P{Lu}',
  '\\u0061',
  '\\u{1f600}',
  '\\x61',
  '\\cJ',
  '\\0',
  '\\n',
  '\\-',
  '\\.',
  '[\\]]',
  '\\/',
  'é',
  '😀',
  '[😀-😂]',
  '\\b',
  '\\B',
  '^',
  '$',
  '(?=a)',
  '(?!b)',
  '(?<=a)',
  '(?<!b)',
  '\\1',
  '\\k<n>',
  '(?<n>a)',
  '{',
  '}',
  ']',
  '(?i:a)',
  '[[a]]',
  '[a&&b]',
];
const QUANTIFIERS = ['', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,}', '*?', '+?', '{3,1}', '{1000}', '**'];

export function randomPattern(random, depth = 2) {
  const one = () => {
    if (depth === 0 || random.chance(0.7)) return random.pick(ATOMS) + random.pick(QUANTIFIERS);
    const inner = randomPattern(random, depth - 1);
    return `${random.pick(['(', '(?:', '(?=', '(?!', '(?<='])}${inner})${random.pick(QUANTIFIERS)}`;
  };
  const sequence = () => random.list(1, 4, one).join('');
  const text = random.list(1, random.chance(0.3) ? 3 : 1, sequence).join('|');
  return random.chance(0.2) ? `^${text}$` : text;
}

const LETTERS = ['a', 'b', 'ab', 'A', '1', '_', '-', ' ', '\n', 'é', '😀', '\ud83d', '\0', '.', ']'];

export const randomText = (random, most = 14) => random.list(0, most, () => random.pick(LETTERS)).join('');
