import { isSchemaObject, type JsonSchemaObject } from '../json-schema.ts';

/** Follows a `#/…` reference through a schema of an older draft and returns the pointer to the same place in 2020-12. */
export function rewritePointer(reference: string, root: JsonSchemaObject): string {
  if (!reference.startsWith('#/')) return reference;
  const tokens = reference.slice(2).split('/');
  const written: string[] = [];
  let value: unknown = root;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? '';
    // Only keywords are renamed. After a keyword that maps names to schemas comes a name, whatever it looks like.
    const inKeywords = isSchemaObject(value);
    written.push(inKeywords && isSchemaObject(value) ? renamed(token, value, tokens[index + 1]) : token);
    value = step(value, token);
    if (inKeywords && holdsNames.has(token) && index + 1 < tokens.length) {
      const name = tokens[++index] ?? '';
      written.push(name);
      value = step(value, name);
    }
  }
  return `#/${written.join('/')}`;
}

const holdsNames = new Set([
  'definitions',
  '$defs',
  'properties',
  'patternProperties',
  'dependencies',
  'dependentSchemas',
]);

function renamed(token: string, schema: JsonSchemaObject, following: string | undefined): string {
  if (token === 'definitions' && schema['$defs'] === undefined) return '$defs';
  if (token === 'dependencies' && following !== undefined) return 'dependentSchemas';
  if (token === 'items' && Array.isArray(schema['items'])) return 'prefixItems';
  if (token === 'additionalItems' && Array.isArray(schema['items'])) return 'items';
  return token;
}

function step(value: unknown, token: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const key = decode(token).replaceAll('~1', '/').replaceAll('~0', '~');
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
