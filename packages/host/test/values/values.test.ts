import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/values/digest.ts';
import { canonicalJson } from '../../src/values/json.ts';
import { visibleLine, visibleText } from '../../src/values/visible-text.ts';

describe('canonicalJson', () => {
  it('is one text for every order of members', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
    expect(digestOf({ b: 2, a: 1 })).toBe(digestOf({ a: 1, b: 2 }));
    expect(digestOf({ a: [1, 2] })).not.toBe(digestOf({ a: [2, 1] }));
  });

  it('leaves out members that are not there, and keeps null', () => {
    expect(canonicalJson({ a: undefined, b: null })).toBe('{"b":null}');
  });
});

describe('texts of servers', () => {
  it.each([
    ['a\u001B[31mred', 'a\\u{1b}[31mred'],
    ['pay\u202Eeur\u2066x', 'pay\\u{202e}eur\\u{2066}x'],
    ['zero\u200Bwidth\uFEFF', 'zero\\u{200b}width\\u{feff}'],
    ['tag\u{E0041}', 'tag\\u{e0041}'],
    ['bell\u0007\u009B2J', 'bell\\u{7}\\u{9b}2J'],
    ['plain – “text” 👍 日本', 'plain – “text” 👍 日本'],
  ])('show what is unseen in %j', (text, seen) => {
    expect(visibleLine(text)).toBe(seen);
    expect(visibleText(text)).toBe(seen);
  });

  it('keep their lines only where lines are wanted', () => {
    expect(visibleLine('one\r\ntwo\tthree')).toBe('one\\ntwo\\u{9}three');
    expect(visibleText('one\r\ntwo\tthree\rfour')).toBe('one\ntwo\tthree\\u{d}four');
  });
});
