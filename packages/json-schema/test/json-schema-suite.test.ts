import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect } from 'vitest';
import { compileSchema, type JsonSchema } from '../src/index.ts';
import { proves } from '../../crosspoint/test/requirements/proves.ts';

const suite = resolve(import.meta.dirname, '../../../../shared/spec/json-schema-tests');
const here = existsSync(suite);
if (!here) console.log('The JSON Schema test suite is not beside this repository: its tests are skipped.');

interface Group {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

const drafts = [
  { folder: 'draft7', dialect: 'http://json-schema.org/draft-07/schema#', others: ['draft2019-09', 'draft2020-12'] },
  {
    folder: 'draft2019-09',
    dialect: 'https://json-schema.org/draft/2019-09/schema',
    others: ['draft7', 'draft2020-12'],
  },
  { folder: 'draft2020-12', dialect: undefined, others: ['draft7', 'draft2019-09'] },
];

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The documents that the suite serves at this address, in memory. Those without a dialect are of the draft under test. */
function remotes(dialect: string | undefined, others: readonly string[]): Record<string, JsonSchema> {
  const root = join(suite, 'remotes');
  const documents: Record<string, JsonSchema> = {};
  for (const file of filesUnder(root)) {
    const path = relative(root, file).replaceAll('\\', '/');
    if (!others.some((other) => path.startsWith(`${other}/`))) {
      documents[`http://localhost:1234/${path}`] = withDialect(JSON.parse(readFileSync(file, 'utf8')), dialect);
    }
  }
  for (const file of filesUnder(root)) {
    const path = relative(root, file).replaceAll('\\', '/');
    documents[`http://localhost:1234/${path}`] ??= JSON.parse(readFileSync(file, 'utf8')) as JsonSchema;
  }
  return documents;
}

function withDialect(schema: JsonSchema, dialect: string | undefined): JsonSchema {
  if (dialect === undefined || typeof schema === 'boolean' || '$schema' in schema) return schema;
  return { $schema: dialect, ...schema };
}

function outcome(group: Group, data: unknown, options: Parameters<typeof compileSchema>[1]): boolean | string {
  try {
    const compiled = compileSchema(group.schema, options);
    const result = compiled.validate(data);
    if (result.ok !== compiled.is(data)) return 'validate and is disagree';
    if (!result.ok && result.issues.length === 0) return 'refused without an issue';
    return result.ok;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe.skipIf(!here)('the JSON Schema test suite', () => {
  for (const { folder, dialect, others } of drafts) {
    proves('L-MESSAGES-033, L-MESSAGES-034, M-JS-001, M-JS-002').it(`passes every required test of ${folder}`, () => {
      const options = { schemas: remotes(dialect, others) };
      const failures: string[] = [];
      let total = 0;
      for (const name of readdirSync(join(suite, folder)).filter((file) => file.endsWith('.json'))) {
        const groups = JSON.parse(readFileSync(join(suite, folder, name), 'utf8')) as Group[];
        for (const group of groups.map((one) => ({ ...one, schema: withDialect(one.schema, dialect) }))) {
          for (const test of group.tests) {
            total++;
            const got = outcome(group, test.data, options);
            if (got !== test.valid) failures.push(`${name}: ${group.description}: ${test.description}: ${String(got)}`);
          }
        }
      }
      console.log(`${folder}: ${total - failures.length} of ${total} required tests pass`);
      expect(failures).toEqual([]);
      expect(total).toBeGreaterThan(800);
    });
  }
});
