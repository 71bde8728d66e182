/** Values that have broken programs before. */
const STRINGS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\ufeff',
  '\u2028\u2029',
  '\u202etxt',
  '😀',
  'é'.normalize('NFD'),
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'null',
  'undefined',
  '-1',
  '1e309',
  '../../etc/passwd',
  '%00',
  '%',
  '%zz',
  '%ud800',
  '{{',
  '${x}',
  '*/*',
  '\r\nx: y',
  'data: x\n\n',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http://127.0.0.1:1/',
  'http://[::ffff:127.0.0.1]/',
  '//',
  '?',
  '=?base64?!?=',
  '=?base64?//79?=',
  'Bearer ',
  'application/json',
];
const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.5,
  1e-7,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 53),
  1e21,
  1e300,
  5e-324,
  65536,
];
/** Numbers as text, since no value of the language prints as these. */
export const ODD_NUMBERS = ['1e999', '-1e999', '-0', '1.0', '1e2', '0.1e1', '123456789012345678901234567890', '1E+2'];

export const DANGEROUS_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'toJSON',
  'then',
  'hasOwnProperty',
  'length',
  '',
  '\0',
  '\ud800',
  '0',
  '_meta',
  'jsonrpc',
  'id',
];

export const hostileString = (random) =>
  random.chance(0.1)
    ? random.pick(STRINGS).padEnd(random.size(20_000), random.pick(['x', '\0', 'é', '\ud83d', '[', '"', '\\', '-eyJ']))
    : random.pick(STRINGS);

export const hostileNumber = (random) => random.pick(NUMBERS);

export function hostileValue(random, depth = 3) {
  const kind = random.int(0, depth > 0 ? 7 : 4);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return hostileNumber(random);
  if (kind <= 4) return hostileString(random);
  if (kind === 5) return nested(random);
  if (kind === 6) return random.list(0, 4, () => hostileValue(random, depth - 1));
  return members(
    random.list(0, 4, () => [random.pick([...DANGEROUS_KEYS, 'a', 'name']), hostileValue(random, depth - 1)]),
  );
}

/** An object with these own members, `__proto__` among them. */
export function members(pairs) {
  const object = {};
  for (const [name, value] of pairs)
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  return object;
}

function nested(random) {
  let value = hostileValue(random, 0);
  const isArray = random.chance(0.5);
  const depth = random.size(400);
  for (let count = 0; count < depth; count += 1) value = isArray ? [value] : { a: value };
  return value;
}
