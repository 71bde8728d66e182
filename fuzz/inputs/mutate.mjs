/** Makes invalid input of valid input: changes values in place, and writes them as JSON that no serialiser would write. */
import { DANGEROUS_KEYS, ODD_NUMBERS, hostileString, hostileValue, members } from './hostile-values.mjs';

/** The value with some changes somewhere in it. */
export function mutated(random, value, times = random.int(1, 3)) {
  let made = structuredClone(value);
  for (let count = 0; count < times; count += 1) made = changedOnce(random, made);
  return made;
}

/** Walks down at random and changes the value it reaches. */
function changedOnce(random, value) {
  if (value === null || typeof value !== 'object') return changedScalar(random, value);
  const names = Object.keys(value);
  if (names.length > 0 && random.chance(0.75)) {
    const name = random.pick(names);
    const inner = changedOnce(random, value[name]);
    return Array.isArray(value)
      ? value.map((item, index) => (String(index) === name ? inner : item))
      : members(Object.entries(value).map(([key, item]) => [key, key === name ? inner : item]));
  }
  return Array.isArray(value) ? changedArray(random, value) : changedObject(random, value);
}

function changedScalar(random, value) {
  if (typeof value === 'string' && random.chance(0.5)) return changedText(random, value);
  if (typeof value === 'number' && random.chance(0.4))
    return random.pick([String(value), -value, value + 1, value * 1e9]);
  if (random.chance(0.1)) return [value];
  if (random.chance(0.1)) return { value };
  return hostileValue(random);
}

function changedArray(random, list) {
  const kind = random.int(0, 4);
  if (kind === 0) return list.slice(1);
  if (kind === 1) return [...list, ...list];
  if (kind === 2) return random.shuffled(list);
  if (kind === 3) return [...list, hostileValue(random)];
  return Object.fromEntries(list.entries());
}

function changedObject(random, object) {
  const pairs = Object.entries(object);
  const kind = random.int(0, 5);
  if (kind === 0) return members(pairs.filter(() => random.chance(0.7)));
  if (kind === 1) return members([...pairs, [random.pick(DANGEROUS_KEYS), hostileValue(random)]]);
  if (kind === 2 && pairs.length > 0) {
    const [name, value] = random.pick(pairs);
    return members([...pairs.filter(([key]) => key !== name), [changedText(random, name), value]]);
  }
  if (kind === 3) return members(random.list(0, random.size(300), (index) => [`m${index}`, index]).concat(pairs));
  if (kind === 4) return pairs.map(([, value]) => value);
  return hostileValue(random);
}

export function changedText(random, text) {
  const at = random.int(0, text.length);
  const kind = random.int(0, 6);
  if (kind === 0) return text.slice(0, at);
  if (kind === 1) return text.slice(0, at) + hostileString(random) + text.slice(at);
  if (kind === 2) return text.slice(0, at) + text.slice(at + random.int(1, 4));
  if (kind === 3) return text.toUpperCase();
  if (kind === 4) return text.repeat(random.int(2, 40)).slice(0, 20_000);
  if (kind === 5) return text.slice(0, at) + String.fromCharCode(random.int(0, 0xffff)) + text.slice(at + 1);
  return hostileString(random);
}

/** JSON text of a value: mostly as usual, at times with members twice, odd numbers, escapes, space, a byte order mark, or cut short. */
export function hostileJson(random, value) {
  if (random.chance(0.6)) return JSON.stringify(value) ?? 'null';
  let text = write(random, value, 0);
  if (random.chance(0.03)) text = `\ufeff${text}`;
  if (random.chance(0.05)) text = text.slice(0, random.int(0, text.length));
  if (random.chance(0.05)) text += random.pick([text, ']', '}', '\0', ',', ' \t', '//x']);
  return text;
}

function write(random, value, depth) {
  const space = random.chance(0.05) ? random.pick([' ', '\t', '\r\n', '  ']) : '';
  if (Array.isArray(value) && depth < 300)
    return `[${space}${value.map((item) => write(random, item, depth + 1)).join(',')}]`;
  if (value !== null && typeof value === 'object' && depth < 300) {
    const pairs = Object.entries(value).map(
      ([name, item]) => `${writtenName(random, name)}:${space}${write(random, item, depth + 1)}`,
    );
    const [first] = pairs;
    // Short ones alone: twice at every level of a deep value would be more than memory holds.
    if (first !== undefined && first.length < 500 && random.chance(0.06)) pairs.push(first);
    if (first !== undefined && first.length < 500 && random.chance(0.04))
      pairs.push(
        `${JSON.stringify(random.pick(Object.keys(value)))}:${write(random, hostileValue(random, 1), depth + 1)}`,
      );
    return `{${pairs.join(',')}}`;
  }
  if (typeof value === 'number' && random.chance(0.05)) return random.pick(ODD_NUMBERS);
  if (typeof value === 'string' && random.chance(0.05)) return escaped(value);
  return JSON.stringify(value) ?? 'null';
}

const writtenName = (random, name) => (random.chance(0.03) ? escaped(name) : JSON.stringify(name));

function escaped(text) {
  let made = '';
  for (let at = 0; at < text.length; at += 1) made += `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return `"${made}"`;
}

/** The positions at which a text of this length is cut into chunks. */
export function cuts(random, length) {
  if (length === 0 || random.chance(0.2)) return [];
  if (random.chance(0.05) && length < 2000) return Array.from({ length: length - 1 }, (_, index) => index + 1);
  return [...new Set(random.list(1, 6, () => random.int(0, length)))].sort((a, b) => a - b);
}

export function split(bytes, at) {
  const ends = [...at.filter((end) => Number.isInteger(end) && end >= 0 && end <= bytes.length), bytes.length];
  let from = 0;
  return ends.map((end) => {
    const part = bytes.subarray(from, Math.max(from, end));
    from = Math.max(from, end);
    return part;
  });
}
