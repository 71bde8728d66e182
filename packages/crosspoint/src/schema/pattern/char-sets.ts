import type { CharSet } from './pattern-node.ts';

export const digit: CharSet = (point) => point >= 48 && point <= 57;

export const word: CharSet = (point) =>
  (point >= 97 && point <= 122) || (point >= 65 && point <= 90) || (point >= 48 && point <= 57) || point === 95;

/** White space and line terminators as ECMA-262 counts them. */
export const space: CharSet = (point) =>
  point === 32 ||
  (point >= 9 && point <= 13) ||
  point === 0xa0 ||
  point === 0x1680 ||
  (point >= 0x2000 && point <= 0x200a) ||
  point === 0x2028 ||
  point === 0x2029 ||
  point === 0x202f ||
  point === 0x205f ||
  point === 0x3000 ||
  point === 0xfeff;

/** What `.` matches without the `s` flag. */
export const notLineEnd: CharSet = (point) => point !== 10 && point !== 13 && point !== 0x2028 && point !== 0x2029;

export function not(set: CharSet): CharSet {
  return (point) => !set(point);
}

export function range(from: number, to: number): CharSet {
  return from === to ? (point) => point === from : (point) => point >= from && point <= to;
}

export function anyOf(sets: readonly CharSet[]): CharSet {
  const [first, second] = sets;
  if (first === undefined) return () => false;
  if (second === undefined) return first;
  const ascii = new Uint8Array(128);
  for (let point = 0; point < 128; point++) if (sets.some((set) => set(point))) ascii[point] = 1;
  return (point) => (point < 128 ? ascii[point] === 1 : sets.some((set) => set(point)));
}

/** A `\p{…}` set. The engine knows the Unicode tables; matching a single code point cannot backtrack. */
export function unicodeProperty(property: string): CharSet {
  const matcher = new RegExp(`^\\p{${property}}$`, 'u');
  return (point) => matcher.test(String.fromCodePoint(point));
}
