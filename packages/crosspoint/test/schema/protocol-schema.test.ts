import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect } from 'vitest';
import { compileSchema, to202012 } from '../../src/schema/index.ts';
import { assertValidSchema } from '../../../json-schema/src/assert-valid-schema.ts';
import type { JsonSchemaObject } from '../../../json-schema/src/json-schema.ts';
import { proves } from '../requirements/proves.ts';

const folder = resolve(import.meta.dirname, '../../../../../shared/spec/schema');
const here = existsSync(folder);
if (!here) console.log('The schema files of the protocol are not beside this repository: their tests are skipped.');

function read(revision: string): JsonSchemaObject {
  return JSON.parse(readFileSync(join(folder, `${revision}.json`), 'utf8')) as JsonSchemaObject;
}

/** A schema of one definition in the file, in the dialect that the file declares. */
function definition(file: JsonSchemaObject, keyword: '$defs' | 'definitions', name: string): JsonSchemaObject {
  return { $schema: file['$schema'], $ref: `#/${keyword}/${name}`, [keyword]: file[keyword] };
}

const tool = { name: 'x', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } };
const badTool = { name: 'x', inputSchema: { type: 'array' } };

describe.skipIf(!here)('schema files of the protocol', () => {
  proves('L-SCHEMA-018').it.each(['2024-11-05', '2025-03-26', '2025-06-18'])('%s is read as draft-07', (revision) => {
    const file = read(revision);
    expect(file['$schema']).toBe('http://json-schema.org/draft-07/schema#');
    expect(() => assertValidSchema(file)).not.toThrow();
    const compiled = compileSchema(definition(file, 'definitions', 'Tool'));
    expect([compiled.is(tool), compiled.is(badTool)]).toEqual([true, false]);
    const converted = compileSchema(to202012(definition(file, 'definitions', 'Tool')));
    expect([converted.is(tool), converted.is(badTool)]).toEqual([true, false]);
  });

  for (const [revision, ids] of [
    ['2025-11-25', 'L-SCHEMA-019'],
    ['2026-07-28', ''],
  ] as const)
    proves(ids).it(`${revision} is read as 2020-12 with $defs`, () => {
      const file = read(revision);
      expect(file['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
      expect(() => assertValidSchema(file)).not.toThrow();
      const compiled = compileSchema(definition(file, '$defs', 'Tool'));
      expect([compiled.is(tool), compiled.is(badTool)]).toEqual([true, false]);
    });
});
