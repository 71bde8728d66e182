import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

type Schema = { [key: string]: any };

const folder = fileURLToPath(new URL('../../../../../shared/spec/schema/', import.meta.url));

/** The definitions the specification publishes for a revision, where this machine has them. */
export function publishedDefinitions(id: string): Record<string, Schema> | undefined {
  const file = join(folder, `${id}.json`);
  if (!existsSync(file)) return undefined;
  const schema = JSON.parse(readFileSync(file, 'utf8')) as Schema;
  return schema['$defs'] ?? schema['definitions'];
}

/** The reason to give where `publishedDefinitions` finds nothing. */
export const noSchemas: string = `no published schemas in ${folder}`;

/**
 * What is wrong with a value. Stricter than the schema says: a member that an object's schema does not name is a fault, unless the
 * schema says that members are free. That is how words of a newer revision are found.
 */
export function faults(defs: Record<string, Schema>, schema: Schema, value: unknown, at: string = '$'): string[] {
  if (schema['$ref']) return faults(defs, defs[schema['$ref'].split('/').at(-1)] ?? {}, value, at);
  if (schema['anyOf']) {
    const each = (schema['anyOf'] as Schema[]).map((option) => faults(defs, option, value, at));
    return each.some((list) => list.length === 0)
      ? []
      : [`${at}: fits no option (${each.map((list) => list[0]).join('; ')})`];
  }
  if (schema['allOf'])
    return (schema['allOf'] as Schema[]).flatMap((part) =>
      faults(defs, part, value, at).filter((text) => !text.includes('unknown')),
    );
  if ('const' in schema && value !== schema['const']) return [`${at}: is not ${schema['const']}`];
  if (schema['enum'] && !schema['enum'].includes(value)) return [`${at}: is not one of ${schema['enum'].join(', ')}`];
  const types: string[] = schema['type'] === undefined ? [] : [schema['type']].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return [`${at}: is no ${types.join(' or ')}`];
  if (Array.isArray(value))
    return schema['items']
      ? value.flatMap((item, index) => faults(defs, schema['items'], item, `${at}[${index}]`))
      : [];
  if (typeof value !== 'object' || value === null) return [];
  return objectFaults(defs, schema, value, at);
}

function objectFaults(defs: Record<string, Schema>, schema: Schema, value: object, at: string): string[] {
  const properties: Record<string, Schema> = schema['properties'] ?? {};
  const list: string[] = [];
  for (const name of schema['required'] ?? []) if (!(name in value)) list.push(`${at}.${name}: is missing`);
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    if (properties[name]) list.push(...faults(defs, properties[name], member, `${at}.${name}`));
    else if (typeof schema['additionalProperties'] === 'object')
      list.push(...faults(defs, schema['additionalProperties'], member, `${at}.${name}`));
    else if (isClosed(schema, at)) list.push(`${at}.${name}: is unknown`);
  }
  return list;
}

/** JSON Schemas and `_meta` are open whatever their definitions list. */
function isClosed(schema: Schema, at: string): boolean {
  return (
    Object.keys(schema['properties'] ?? {}).length > 0 && !/Schema\b|_meta/.test(at.replace('requestedSchema', ''))
  );
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  return typeof value === type;
}
