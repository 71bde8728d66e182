import { describe, expect, it } from 'vitest';
import { withDifferences, withKey, withMember, withoutMember } from '../../src/configuration/json-edit.ts';
import { placeOf } from '../../src/configuration/json-tree.ts';

const TEXT = `// mine
{
  "crosspoint": 1, // the version
  "servers": {
    /* the first */
    "a": { "command": "a" }, // about a
    // the second
    "b": {
      "command": "b", // about b
      "args": ["x"]
    } // the end
  }
}
`;

/** The text as JSON, which has no comments and no commas at the end. */
const parsed = (text: string): any =>
  JSON.parse(text.replaceAll(/\/\/.*|\/\*.*?\*\//g, '').replaceAll(/,(\s*[}\]])/g, '$1'));

describe('editing JSON with comments', () => {
  it('adds a member behind the last one and keeps every comment in its line', () => {
    const edited = withMember(TEXT, ['servers', 'c'], { command: 'c', args: ['y'] });
    expect(parsed(edited)).toEqual({
      crosspoint: 1,
      servers: { a: { command: 'a' }, b: { command: 'b', args: ['x'] }, c: { command: 'c', args: ['y'] } },
    });
    expect(edited.replace(/,?\n {4}"c": \{[\s\S]*?\n {4}\}/, '')).toBe(TEXT.replace('} // the end', '}, // the end'));
    expect(edited).toContain('    }, // the end\n    "c": {\n      "command": "c",');
  });

  it('removes a member with its line; comments above it and of others stay', () => {
    const first = withoutMember(TEXT, ['servers', 'a']);
    expect(parsed(first)).toEqual({ crosspoint: 1, servers: { b: { command: 'b', args: ['x'] } } });
    expect(first).toContain('/* the first */\n    // the second\n    "b"');
    const last = withoutMember(TEXT, ['servers', 'b']);
    expect(parsed(last)).toEqual({ crosspoint: 1, servers: { a: { command: 'a' } } });
    expect(last).toContain('"a": { "command": "a" } // about a\n');
    expect(withoutMember(TEXT, ['servers', 'z'])).toBe(TEXT);
    expect(parsed(withoutMember(withoutMember(TEXT, ['servers', 'a']), ['servers', 'b'])).servers).toEqual({});
  });

  it('gives a member another key', () => {
    expect(withKey(TEXT, ['servers', 'b'], 'c "d"')).toBe(TEXT.replace('"b": {', '"c \\"d\\"": {'));
    expect(withKey(TEXT, ['servers', 'z'], 'c')).toBe(TEXT);
  });

  it('changes only the members that differ', () => {
    const edited = withDifferences(TEXT, ['servers', 'b'], { command: 'b', args: ['x'] }, { command: 'b2', cwd: '/x' });
    expect(parsed(edited).servers.b).toEqual({ command: 'b2', cwd: '/x' });
    expect(edited).toContain('"command": "b2", // about b\n');
    expect(withDifferences(TEXT, ['servers', 'a'], { command: 'a' }, { command: 'a' })).toBe(TEXT);
  });

  it.each([
    ['{}', ['servers', 'a'], { servers: { a: 1 } }],
    ['{ }', ['a'], { a: 1 }],
    ['{"b":2}', ['a'], { b: 2, a: 1 }],
    ['{ "b": 2 }\r\n', ['a'], { b: 2, a: 1 }],
    ['{\r\n  "b": 2,\r\n}\r\n', ['a'], { b: 2, a: 1 }],
    ['{ "servers": null }', ['servers', 'a'], { servers: { a: 1 } }],
    ['\uFEFF{\n\t"b": [1, { "x": "}" }], // "a": 3\n}', ['a'], { b: [1, { x: '}' }], a: 1 }],
    ['{ // nothing yet\n}', ['a'], { a: 1 }],
    ['{ "a": 5, "b": 2 }', ['a'], { a: 1, b: 2 }],
  ])('sets a member of %j', (text, path, expected) => {
    const edited = withMember(text, path, 1);
    expect(parsed(edited.replace('\uFEFF', ''))).toEqual(expected);
    if (path.length === 1 && !text.includes('"a":')) {
      const without = withoutMember(edited, path);
      expect(parsed(without.replace('\uFEFF', ''))).toEqual(parsed(text.replace('\uFEFF', '')));
    }
  });

  it('finds the line and column of a pointer', () => {
    expect(placeOf(TEXT, '/servers/b/args/0')).toEqual({ line: 10, column: 16 });
    expect(placeOf(TEXT, '/servers/a/nothing')).toEqual({ line: 6, column: 5 });
    expect(placeOf(TEXT, '')).toEqual({ line: 1, column: 1 });
  });
});
