import { readFileSync } from 'node:fs';
import { compileSchema, type JsonSchema } from 'crosspoint/schema';
import { describe, expect, it } from 'vitest';
import { convertConfiguration } from '../../src/config/convert/convert-configuration.ts';
import { FILE_FORMATS } from '../../src/config/formats/formats.ts';
import type { Json } from '../../src/values/json.ts';
import { FORMAT_IDS, textOf } from './samples.ts';

const file = new URL('../../../../docs/schemas/crosspoint.schema.json', import.meta.url);
const schema = compileSchema(JSON.parse(readFileSync(file, 'utf8')) as JsonSchema);

/** Whether the schema, and the reader, take a file. */
function verdicts(value: Json): [boolean, boolean] {
  const { problems } = FILE_FORMATS.crosspoint.read(JSON.stringify(value), { scope: 'user' });
  return [schema.validate(value).ok, !problems.some(({ severity }) => severity === 'error')];
}

describe('the schema of crosspoint.json', () => {
  it.each(FORMAT_IDS)('takes what a conversion from %s writes', (format) => {
    const { text } = convertConfiguration({ text: textOf(format), format, scope: 'user' }, 'crosspoint');
    expect(verdicts(JSON.parse(text) as Json)).toEqual([true, true]);
  });

  it.each<[Json]>([
    [{}],
    [{ crosspoint: 2, servers: {} }],
    [{ servers: [] }],
    [{ servers: { a: {} } }],
    [{ servers: { a: { command: 'x', url: 'https://x.example' } } }],
    [{ servers: { a: { command: 'x', args: 'y' } } }],
    [{ servers: { a: { command: 'x', env: { A: 1 } } } }],
    [{ servers: { a: { command: 'x', timeoutMs: 0 } } }],
    [{ servers: { a: { command: 'x', roots: 'r' } } }],
    [{ servers: { a: { command: 'x', disabled: 'no' } } }],
    [{ servers: { a: { type: 'ws', url: 'wss://x.example' } } }],
    [{ servers: { a: { url: 'https://x.example', headers: [] } } }],
    [{ servers: { a: { url: 'https://x.example', oauth: { scopes: 'a b' } } } }],
    [{ servers: { a: { url: 'https://x.example', oauth: { callbackPort: 0 } } } }],
    [{ servers: { '': { command: 'x' } } }],
    [{ servers: {}, inputs: {} }],
    [{ servers: {}, inputs: [{ type: 'text' }] }],
    [{ servers: {}, inputs: [{ id: 'a', type: 'other' }] }],
    [{ servers: {}, inputs: [{ id: 'a', secret: 'yes' }] }],
    [{ servers: {}, inputs: [{ id: 'a', options: ['x'] }] }],
  ])('refuses %j, as the reader does', (value) => {
    expect(verdicts(value)).toEqual([false, false]);
  });
});
