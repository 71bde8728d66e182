import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonTextError, parseJsonText } from '../../src/config/formats/json-text.ts';

const strict = { allowsComments: false };
const loose = { allowsComments: true };

function faultOf(text: string, options = strict): string {
  try {
    parseJsonText(text, options);
  } catch (error) {
    if (error instanceof JsonTextError) return `${error.place.line}:${error.place.column} ${error.message}`;
    throw error;
  }
  return 'none';
}

describe('parseJsonText', () => {
  it('reads every JSON value as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, null, 2);
        if (text.includes('__proto__')) return;
        expect(parseJsonText(text, strict).value).toEqual(JSON.parse(text));
      }),
    );
  });

  it('ends with a value or with a place, whatever the text', () => {
    const letters = fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\\', '/', '*', '\n', '1', '-', 'e', 'n', 'ull');
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 60 }), fc.boolean(), (parts, allowsComments) => {
        const text = parts.join('');
        const fault = faultOf(text, { allowsComments });
        if (allowsComments) expect(fault).toMatch(/^(?:none|\d+:\d+ .+)$/);
        else expect(fault === 'none').toBe(isJson(text));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', '3:3 A comma or "}" is missing.'],
    ['{"a": tru}', '1:7 A JSON value is missing here.'],
    ['{"a": "x\n"}', '1:9 A text holds a line end or another control character; write it as an escape.'],
    ['{"a": "x', '1:7 A text is not closed by a double quote.'],
    [String.raw`{"a": "\q"}`, '1:7 A text holds an escape that JSON does not have.'],
    ['{"a": 1,\n "a": 2}', '2:2 The key comes twice in its object.'],
    ['{"__proto__": {}}', '1:2 The key "__proto__" is refused.'],
    [String.raw`{"\u005f_proto__": {}}`, '1:2 The key "__proto__" is refused.'],
    ['{a: 1}', '1:2 A key in double quotes is missing.'],
    ['{"a" 1}', '1:6 A colon is missing after the key.'],
    ['{} {}', '1:4 Text follows the end of the JSON value.'],
    ['', '1:1 The JSON value ends too early.'],
    ['[1,]', '1:3 A comma before "]" is not allowed in this format.'],
    ['{} // x', '1:4 Comments are not allowed in this format.'],
  ])('says where %j is wrong', (text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });

  it('refuses values that are nested too deep', () => {
    expect(faultOf('['.repeat(100_000))).toBe('1:66 Values are nested more than 64 deep.');
  });

  it('takes comments and commas before brackets where they are allowed', () => {
    const text = '\uFEFF// one\n{ /* two */ "a": [1, 2,], // three\n "b": "// no comment", }\n// end';
    expect(parseJsonText(text, loose).value).toEqual({ a: [1, 2], b: '// no comment' });
    expect(faultOf('{ /* ', loose)).toBe('1:3 A comment is not closed.');
  });

  it('knows the place of each member', () => {
    const parsed = parseJsonText('{\n  "a/b": [1,\n    {"c": 2}]\n}', strict);
    expect(parsed.placeOf('/a~1b')).toEqual({ line: 2, column: 3 });
    expect(parsed.placeOf('/a~1b/1/c')).toEqual({ line: 3, column: 6 });
    expect(parsed.placeOf('/a~1b/1/missing')).toEqual({ line: 3, column: 5 });
    expect(parsed.placeOf('')).toEqual({ line: 1, column: 1 });
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
