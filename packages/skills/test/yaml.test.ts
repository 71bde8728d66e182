import { describe, expect, test } from 'vitest';
import { readYaml } from '../src/extension/read-yaml.ts';

const READ: readonly (readonly [string, unknown])[] = [
  ['name: a\ndescription: b c d', { name: 'a', description: 'b c d' }],
  ["a: \"x\\ny\"\nb: 'it''s'", { a: 'x\ny', b: "it's" }],
  ['a: >-\n  one\n  two\n\n  three\nb: |\n  x\n   y\n', { a: 'one two\nthree', b: 'x\n y\n' }],
  ['a:\n  b: 1\n  c: [1, 2, "x", {d: e}]\n', { a: { b: 1, c: [1, 2, 'x', { d: 'e' }] } }],
  ['a:\n- x\n- y\nb: 2', { a: ['x', 'y'], b: 2 }],
  ['a: ~\nb:\nc: true\nd: 012\ne: yes\nf: 2024-01-01', { a: null, b: null, c: true, d: 12, e: 'yes', f: '2024-01-01' }],
  ['a: Bash(git:*) Read\nb: http://x.y/z', { a: 'Bash(git:*) Read', b: 'http://x.y/z' }],
  ['__proto__: 1', JSON.parse('{"__proto__":1}')],
];

const REFUSED = [
  'a: - b',
  'a: b: c',
  'a: @x',
  'a: 1\na: 2',
  'a: [1, 2',
  'a: "x',
  'a:\n    b: 1\n  c: 2',
  'a: x # c\n  y',
  'a: "x\ny"',
  'a: "\\q"',
  'a: [a, , b]',
  'a: {a: 1, a: 2}',
  'a: "x"#c',
  'a: "x" y',
  'a: [x]y',
  'a: |x\n  y',
  'a: x\n b: c',
  'a: -\n',
  'a: |\n    \n  x',
  '\ta: 1',
];

describe('the reader of front matter', () => {
  test.each(READ)('reads what YAML means: %j', (text, expected) => expect(readYaml(text)).toEqual(expected));

  test.each(REFUSED)('refuses what is not YAML: %j', (text) => {
    expect(() => readYaml(text)).toThrow(/^Line \d+: /);
  });

  test.each([
    'a: &x 1',
    'a: &x { b: 1 }',
    'a: 1\na: 2',
    'a: { b: 1, c: 2, b: 3 }',
    'a: *x',
    'a: !!str 1',
    '? [a]\n: b',
    '1: b',
    'a: .inf',
    'a: .nan',
    'a: 1\n---\nb: 2',
  ])('refuses what front matter has no need of: %j', (text) => expect(() => readYaml(text)).toThrow(/^Line \d+: /));

  test('takes a deep nest for an error and not for its own end', () => {
    expect(() => readYaml(`a: ${'['.repeat(50_000)}`)).toThrow('nested too deeply');
    expect(() => readYaml(Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'))).toThrow(
      'nested too deeply',
    );
  });
});
