import { digit, not, space, unicodeProperty, word } from './char-set.ts';
import { type Escape, type PatternSource, PatternSyntaxError } from './pattern-source.ts';

const named: Readonly<Record<string, Escape>> = {
  d: digit,
  D: not(digit),
  w: word,
  W: not(word),
  s: space,
  S: not(space),
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
};

/** Reads the escape after a backslash, except `\b` and `\B`, whose meaning depends on the place. */
export function readEscape(source: PatternSource): Escape {
  const char = source.next();
  const known = Object.hasOwn(named, char) ? named[char] : undefined;
  if (known !== undefined) return known;
  if (char === 'u') return readUnicode(source);
  if (char === 'x') return readHex(source, 'x', /([0-9a-f]{2})/iy);
  if (char === 'c') return (source.eatMatch(/[a-z]/iy)?.[0].charCodeAt(0) ?? fail('c')) % 32;
  if (char === 'p' || char === 'P') return readProperty(source, char === 'P');
  if (char === '0' && !/\d/.test(source.peek())) return 0;
  if (/\d|k/.test(char)) throw new PatternSyntaxError('backreferences (\\1, \\k) cannot be matched in bounded time');
  if (/[a-z]/i.test(char)) return fail(char);
  return char.codePointAt(0) ?? 0;
}

function readUnicode(source: PatternSource): number {
  const braced = source.eatMatch(/\{([0-9a-f]{1,8})\}/iy);
  if (braced !== undefined) {
    const point = Number.parseInt(braced[1] ?? '', 16);
    return point <= 0x10ffff ? point : fail('u');
  }
  const high = readHex(source, 'u', /([0-9a-f]{4})/iy);
  if (high < 0xd800 || high > 0xdbff) return high;
  const low = source.eatMatch(/\\u(d[c-f][0-9a-f]{2})/iy);
  if (low === undefined) return high;
  return 0x10000 + ((high - 0xd800) << 10) + (Number.parseInt(low[1] ?? '', 16) - 0xdc00);
}

function readHex(source: PatternSource, letter: 'u' | 'x', form: RegExp): number {
  const found = source.eatMatch(form);
  return found === undefined ? fail(letter) : Number.parseInt(found[1] ?? '', 16);
}

function readProperty(source: PatternSource, negated: boolean): Escape {
  const name = source.eatMatch(/\{([A-Za-z0-9_=]+)\}/y)?.[1];
  if (name === undefined) return fail('p');
  try {
    return unicodeProperty(name, negated);
  } catch {
    throw new PatternSyntaxError(`unknown Unicode property "${name}"`);
  }
}

function fail(escape: string): never {
  throw new PatternSyntaxError(`invalid escape "\\${escape}"`);
}
