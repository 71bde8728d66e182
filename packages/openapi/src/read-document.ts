import { errorMessage, isJsonObject } from 'crosspoint/internal';
import type { JsonObject } from 'crosspoint';
import { OpenApiError, type OpenApiLimits, type OpenApiOptions } from './options.ts';

/** The parser, with options that its own types do not all name. */
interface Parser {
  bundle(document: object, options: object): Promise<object>;
  validate(document: object, options: object): Promise<{ valid: boolean; errors?: readonly { message: string }[] }>;
}

const SHOWN = 1000;

/** Reads a document: within the limits, valid in its structure, and without loading other documents unless that is allowed. References stay as they are. */
export async function readDocument(
  given: string | object,
  { externalRefs = {} }: OpenApiOptions,
  limits: Required<OpenApiLimits>,
): Promise<JsonObject> {
  let document = plainCopy(given, limits);
  const parser = (await import('@readme/openapi-parser')) as unknown as Parser;
  const external = externalReference(document, limits);
  if (external !== undefined) {
    if (externalRefs.files !== true && externalRefs.http !== true)
      throw new OpenApiError(
        `The document refers to "${external.slice(0, 200)}", which is outside of it. Bundle it first, or allow externalRefs.`,
      );
    document = plainCopy(await bundled(parser, document, externalRefs), limits);
    externalReference(document, limits);
  }
  const version = document['openapi'];
  if (typeof version !== 'string' || !/^3\.[01]\./.test(version))
    throw new OpenApiError('The document is not OpenAPI 3.0 or 3.1.');
  await refuseInvalid(parser, document);
  return document;
}

/** A copy of the document through JSON, which shares nothing with the caller's. */
function plainCopy(given: string | object, { documentBytes }: Required<OpenApiLimits>): JsonObject {
  let read: unknown;
  try {
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    if (text.length > documentBytes)
      throw new OpenApiError(`The document is larger than ${documentBytes} bytes: raise limits.documentBytes.`);
    read = JSON.parse(text);
  } catch (error) {
    if (error instanceof OpenApiError) throw error;
    const what = error instanceof RangeError ? 'is nested too deep' : 'is no JSON; parse YAML before';
    throw new OpenApiError(`The document ${what}.`, { cause: error });
  }
  if (!isJsonObject(read)) throw new OpenApiError('The document must be a JSON object.');
  return read;
}

/** The first reference that leaves the document. Throws when the document is nested too deep. */
function externalReference(document: JsonObject, { depth }: Required<OpenApiLimits>): string | undefined {
  const waiting: { value: object; level: number }[] = [{ value: document, level: 0 }];
  let found: string | undefined;
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    const { value, level } = item;
    if (level > depth) throw new OpenApiError(`The document is nested deeper than ${depth}: raise limits.depth.`);
    for (const [key, member] of Object.entries(value)) {
      if (key === '$ref' && typeof member === 'string' && !member.startsWith('#')) found ??= member;
      if (typeof member === 'object' && member !== null) waiting.push({ value: member as object, level: level + 1 });
    }
  }
  return found;
}

async function bundled(
  parser: Parser,
  document: JsonObject,
  { files = false, http = false }: NonNullable<OpenApiOptions['externalRefs']>,
): Promise<object> {
  try {
    // The parser has no other option to keep it from using HTTP.
    const never = { canRead: () => false };
    return await parser.bundle(document, { resolve: { external: true, file: files, ...(!http && { http: never }) } });
  } catch (error) {
    throw new OpenApiError('A document that this one refers to could not be loaded.', { cause: error });
  }
}

/** Validates the document without its schemas, which are checked where they are used: a validator that follows their references might never end. */
async function refuseInvalid(parser: Parser, document: JsonObject): Promise<void> {
  const rules = { 'array-without-items': 'warning' };
  const checked = await parser
    .validate(withoutSchemas(document) as object, {
      resolve: { external: false },
      timeoutMs: 10_000,
      validate: { rules: { openapi: rules } },
    })
    .catch((error: unknown) => ({ valid: false, errors: [{ message: errorMessage(error) }] }));
  if (checked.valid) return;
  const what = (checked.errors ?? []).map(({ message }) => message).join(' ');
  throw new OpenApiError(`The document is not valid: ${what.slice(0, SHOWN)}`);
}

const LEFT_OUT: ReadonlySet<string> = new Set(['callbacks', 'links', 'webhooks', 'example', 'examples']);

/** A copy with empty schemas and without the parts that no tool uses. */
function withoutSchemas(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutSchemas(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isMap || !LEFT_OUT.has(key))
      .map(([key, member]) => {
        if (!isMap && key === 'schema') return [key, {}];
        if (!isMap && key === 'schemas' && isJsonObject(member))
          return [key, Object.fromEntries(Object.keys(member).map((name) => [name, {}]))];
        return [key, withoutSchemas(member, !isMap && MAPS.has(key))];
      }),
  );
}

/** Members whose own members have names chosen by the author. */
const MAPS: ReadonlySet<string> = new Set([
  'paths',
  'parameters',
  'responses',
  'requestBodies',
  'headers',
  'securitySchemes',
  'pathItems',
  'content',
  'encoding',
  'variables',
]);
