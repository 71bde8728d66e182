/**
 * A set of code points: sorted ranges that do not touch, and Unicode properties. Membership is one table lookup for ASCII and a binary search
 * beyond, however many members the class was written with.
 */
export class CharSet {
  /** First and last code points, alternating. */
  readonly ranges: readonly number[];
  /** Unicode properties as written: `\p{…}` or `\P{…}`. */
  readonly properties: readonly string[];
  readonly negated: boolean;
  // Made on first use: most sets of a large schema are never tested.
  #ascii: Uint8Array | undefined;
  #property: RegExp | undefined;

  constructor(ranges: readonly number[], properties: readonly string[] = [], negated = false) {
    this.ranges = ranges;
    this.properties = properties;
    this.negated = negated;
  }

  has(point: number): boolean {
    return point < 128 ? (this.#ascii ??= this.#readAscii())[point] === 1 : this.#holds(point);
  }

  #readAscii(): Uint8Array {
    return Uint8Array.from({ length: 128 }, (_, point) => (this.#holds(point) ? 1 : 0));
  }

  #holds(point: number): boolean {
    return (inRanges(this.ranges, point) || this.#hasProperty(point)) !== this.negated;
  }

  /** Asks the engine, which has the Unicode tables; matching a single code point cannot backtrack. */
  #hasProperty(point: number): boolean {
    if (this.properties.length === 0) return false;
    this.#property ??= new RegExp(`^[${this.properties.join('')}]$`, 'u');
    return this.#property.test(String.fromCodePoint(point));
  }
}

function inRanges(ranges: readonly number[], point: number): boolean {
  let low = 0;
  let high = ranges.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (point < (ranges[2 * middle] ?? 0)) high = middle;
    else if (point > (ranges[2 * middle + 1] ?? 0)) low = middle + 1;
    else return true;
  }
  return false;
}

export const digit: CharSet = new CharSet([48, 57]);

export const word: CharSet = new CharSet([48, 57, 65, 90, 95, 95, 97, 122]);

/** White space and line terminators as ECMA-262 counts them. */
export const space: CharSet = new CharSet([
  9, 13, 32, 32, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000,
  0x3000, 0xfeff, 0xfeff,
]);

/** The characters that `.` matches without the `s` flag. */
export const notLineEnd: CharSet = new CharSet([10, 10, 13, 13, 0x2028, 0x2029], [], true);

/** The complement of a set without properties. */
export function not(set: CharSet): CharSet {
  const ranges: number[] = [];
  let from = 0;
  for (let index = 0; index < set.ranges.length; index += 2) {
    const first = set.ranges[index] ?? 0;
    if (first > from) ranges.push(from, first - 1);
    from = (set.ranges[index + 1] ?? 0) + 1;
  }
  if (from <= 0x10ffff) ranges.push(from, 0x10ffff);
  return new CharSet(ranges);
}

const asciiSingles: CharSet[] = [];

export function single(point: number): CharSet {
  if (point >= 128) return new CharSet([point, point]);
  return (asciiSingles[point] ??= new CharSet([point, point]));
}

/** The union of sets, none of which is negated as a whole; or its complement. */
export function union(sets: readonly CharSet[], negated: boolean): CharSet {
  const pairs: (readonly [number, number])[] = [];
  const properties = new Set<string>();
  for (const set of sets) {
    for (let index = 0; index < set.ranges.length; index += 2)
      pairs.push([set.ranges[index] ?? 0, set.ranges[index + 1] ?? 0]);
    for (const property of set.properties) properties.add(property);
  }
  pairs.sort((left, right) => left[0] - right[0]);
  const ranges: number[] = [];
  for (const [first, last] of pairs) {
    const end = ranges.at(-1);
    if (end !== undefined && first <= end + 1) ranges[ranges.length - 1] = Math.max(end, last);
    else ranges.push(first, last);
  }
  return new CharSet(ranges, [...properties], negated);
}

const knownProperties = new Set<string>();

/** A `\p{…}` or `\P{…}` set. Throws `SyntaxError` for a property that Unicode does not have. */
export function unicodeProperty(name: string, negated: boolean): CharSet {
  if (!knownProperties.has(name)) {
    // oxlint-disable-next-line no-new -- only whether it throws is asked
    new RegExp(`\\p{${name}}`, 'u');
    knownProperties.add(name);
  }
  return new CharSet([], [`\\${negated ? 'P' : 'p'}{${name}}`]);
}
