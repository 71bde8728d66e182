import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDocument, stringify } from 'yaml';
import { readYaml } from '../../src/extensions/skills/yaml-reader.ts';

/** What a complete reader of YAML makes of a text; `undefined` when it refuses it. */
function complete(text: string): unknown {
  const document = parseDocument(text, { schema: 'core', logLevel: 'silent' });
  if (document.errors.length > 0) return undefined;
  return document.toJS() as unknown;
}

const READ = [
  'name: a\ndescription: b c d',
  "a: \"x\\ny\"\nb: 'it''s'",
  'a: >-\n  one\n  two\n\n  three\nb: |\n  x\n   y\n  z\n',
  'a:\n  b: 1\n  c: [1, 2, "x", {d: e}]\n',
  'a:\n- x\n- y\nb: 2',
  'a:\n  - x\n  - k: v\n    l: w\n  - - n\n    - m\n',
  'a: one\n  two\n\n  three\nb: x',
  'a: "one\n  two\n\n  three"\nb: 1',
  'a: # c\n  b: 1 # d\n# e\nc: x#y',
  'a: ~\nb: null\nc:\nd: true\ne: 0x1F\nf: 1e3\ng: .5\nh: 1.0\ni: -3\nj: 012\nk: yes\nl: 2024-01-01\nm: 0o17',
  "a: Bash(git:*) Read\nb: http://x.y/z\nc: 50% off\nd: it's -fine ?yes :so",
  '"quoted key": 1\n\'k2\': 2\na b c: 3\na:b: 4\nz : 5',
  'a: [\n  1, # one\n  2\n  ]\nb: {}\nc: [ ]\nd: {a: }\ne: {b: 1, c, "d":2}',
  'a: |+\n  x\n\nb: 1\nc: >+\n  x\n\n',
  'a: >\n  x\n    more\n  y\n',
  'a: |2\n   x\n  y\nb: >3-\n     x\n',
  'a: "tab\\there \\u00e9 \\x41 \\U0001F600"\nb: "one \\\n  two"',
  'a: |\n\n  x\n\n\n  y\nb: >\n\n  x\n\n\n  y\n',
  'a: "  sp  "\nb: \'  sp  \'\nc:   spaced   \n',
  'a:\n  # c\n  - 1\n  # d\n  - 2\n',
  'a: |\nb: 1',
  '- a\n- b',
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
  test.each(READ)('reads what YAML means: %j', (text) => {
    const expected = complete(text);
    expect(expected).toBeDefined();
    expect(readYaml(text)).toEqual(expected);
  });

  test.each(REFUSED)('refuses what is not YAML: %j', (text) => {
    expect(complete(text)).toBeUndefined();
    expect(() => readYaml(text)).toThrow(/^Line \d+: /);
  });

  test.each([
    'a: &x 1',
    'a: *x',
    'a: !!str 1',
    '? a\n: b',
    'a: .inf',
    'a: .nan',
    'a: [a: b]',
    '---\na: 1',
    '%YAML 1.2',
  ])('refuses what front matter has no need of: %j', (text) => expect(() => readYaml(text)).toThrow(/^Line \d+: /));

  test('takes a deep nest for an error and not for its own end', () => {
    expect(() => readYaml(`a: ${'['.repeat(50_000)}`)).toThrow('nested too deeply');
    expect(() => readYaml(Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'))).toThrow(
      'nested too deeply',
    );
  });

  test('reads back whatever another program has written, in every style of text', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.stringMatching(/^[a-z :#'"\n-]{0,40}$/),
      fc.constantFrom(
        'yes',
        '1.0',
        'null',
        ' lead',
        'trail ',
        'two\nlines',
        '# no',
        'a: b',
        '- x',
        '{}',
        '~',
        '',
        '\u00e9',
      ),
    );
    const scalar = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', maxDepth: 3 },
        scalar,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9 _-]{0,8}[a-zA-Z0-9]$/), tie('value'), { maxKeys: 3 }),
      ),
    }));
    const map = fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,8}$/), value, { minKeys: 1, maxKeys: 4 });
    const style = fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_FOLDED', 'BLOCK_LITERAL');
    fc.assert(
      fc.property(map, style, fc.constantFrom(80, 20), fc.boolean(), (object, defaultStringType, lineWidth, flow) => {
        const written = stringify(object, {
          defaultStringType,
          defaultKeyType: 'PLAIN',
          lineWidth,
          ...(flow && { collectionStyle: 'flow' }),
        });
        // An alias is written for a value that is there twice, which these never are.
        fc.pre(complete(written) !== undefined && !/^\s*\?/m.test(written));
        expect(readYaml(written)).toEqual(complete(written));
      }),
      { numRuns: 400 },
    );
  });
});
