import { isJsonObject } from 'crosspoint/internal';
import type { JsonObject } from 'crosspoint';
import { bodyOf, isJsonType, type Body } from './body.ts';
import { OpenApiError, type OperationFacts } from './options.ts';
import { parametersOf, type Parameter } from './parameters.ts';
import { resolved } from './pointer.ts';
import { type SchemaRoom, ToolSchemas } from './tool-schema.ts';

/** The place of an argument in the HTTP request. */
export type Placed =
  | { readonly kind: 'parameter'; readonly parameter: Parameter }
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'body' };

/** An operation that can become a tool. */
export interface Operation {
  readonly facts: OperationFacts;
  readonly description: string | undefined;
  readonly title: string | undefined;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | undefined;
  /** Places by the name of the argument. */
  readonly placed: ReadonlyMap<string, Placed>;
  readonly body: Body | undefined;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
const MAX_DESCRIPTION = 4000;

/** Yields every operation of the document. */
export function* findOperations(
  document: JsonObject,
): Generator<{ facts: OperationFacts; pathItem: JsonObject; operation: JsonObject }> {
  const { paths } = document;
  for (const [path, given] of Object.entries(isJsonObject(paths) ? paths : {})) {
    const pathItem = resolved(document, given);
    if (!path.startsWith('/') || pathItem === undefined) continue;
    for (const method of METHODS) {
      const operation = pathItem[method];
      if (!isJsonObject(operation)) continue;
      const { operationId, tags, deprecated } = operation;
      const facts: OperationFacts = {
        method,
        path,
        operationId: typeof operationId === 'string' ? operationId : undefined,
        tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
        isDeprecated: deprecated === true,
      };
      yield { facts, pathItem, operation };
    }
  }
}

/** Reads an operation. Throws an `OpenApiError` with the reason when it cannot become a tool. */
export function readOperation(
  document: JsonObject,
  { facts, pathItem, operation }: { facts: OperationFacts; pathItem: JsonObject; operation: JsonObject },
  { schemaValues, room, output }: { schemaValues: number; room: SchemaRoom; output: boolean },
): Operation {
  const body = bodyOf(document, operation);
  if (Array.isArray(body))
    throw new OpenApiError(`Its body has no supported media type, only ${body.join(', ').slice(0, 200)}.`);
  const parameters = parametersOf(document, pathItem, operation);
  for (const [, name = ''] of facts.path.matchAll(/\{([^{}]+)\}/g))
    if (!parameters.some((parameter) => parameter.in === 'path' && parameter.name === name))
      throw new OpenApiError(`Its path holds {${name}}, which is not declared as a parameter.`);
  const { summary, description } = operation;
  return {
    facts,
    title: typeof summary === 'string' ? summary.slice(0, 200) : undefined,
    description: typeof description === 'string' ? description.slice(0, MAX_DESCRIPTION) : undefined,
    ...inputOf(new ToolSchemas(document, schemaValues, room), parameters, body as Body | undefined),
    outputSchema: output ? outputOf(document, operation, new ToolSchemas(document, schemaValues, room)) : undefined,
    body: body as Body | undefined,
  };
}

/**
 * Joins parameters and body into one input schema. A name that occurs several times goes to the first in the order path, query, header, cookie,
 * body; the others get their place as a suffix, as in `id_query` or `id_body`.
 */
function inputOf(
  schemas: ToolSchemas,
  parameters: readonly Parameter[],
  body: Body | undefined,
): Pick<Operation, 'inputSchema' | 'placed'> {
  const placed = new Map<string, Placed>();
  const properties: JsonObject = {};
  const required: string[] = [];
  const put = (
    name: string,
    place: string,
    where: Placed,
    argument: { schema: unknown; isRequired: boolean },
  ): void => {
    let key = name;
    for (let number = 1; placed.has(key); number += 1)
      key = number === 1 ? `${name}_${place}` : `${name}_${place}_${number}`;
    placed.set(key, where);
    Object.defineProperty(properties, key, {
      value: argument.schema,
      enumerable: true,
      configurable: true,
      writable: true,
    });
    if (argument.isRequired) required.push(key);
  };
  for (const parameter of parameters) {
    const { name, in: place, isRequired, description } = parameter;
    const schema = described(schemas.convert(parameter.schema), description);
    put(name, place, { kind: 'parameter', parameter }, { schema, isRequired });
  }
  if (body?.members === undefined) {
    if (body !== undefined)
      put('body', 'body', { kind: 'body' }, { schema: schemas.convert(body.schema), isRequired: body.isRequired });
  } else
    for (const [name, member] of body.members) {
      const isRequired = body.requiredMembers.has(name);
      put(name, 'body', { kind: 'member', name }, { schema: schemas.convert(member), isRequired });
    }
  const inputSchema = schemas.complete({
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  });
  return { inputSchema, placed };
}

function described(schema: JsonObject | boolean, description: string | undefined): JsonObject | boolean {
  if (description === undefined || !isJsonObject(schema) || schema['description'] !== undefined) return schema;
  return { ...schema, description: description.slice(0, MAX_DESCRIPTION) };
}

/** The schema of the answer, where exactly one success response is declared and it is an object. */
function outputOf(document: JsonObject, operation: JsonObject, schemas: ToolSchemas): JsonObject | undefined {
  const { responses } = operation;
  const good = Object.entries(isJsonObject(responses) ? responses : {}).filter(([status]) => status.startsWith('2'));
  const content = good.length === 1 ? resolved(document, good[0]?.[1])?.['content'] : undefined;
  if (!isJsonObject(content)) return undefined;
  const types = Object.entries(content);
  const [type, media] = types[0] ?? [];
  if (types.length !== 1 || type === undefined || !isJsonType(type)) return undefined;
  const given = resolved(document, media)?.['schema'];
  if (resolved(document, given)?.['type'] !== 'object') return undefined;
  const schema = schemas.convert(given);
  return isJsonObject(schema) ? schemas.complete({ type: 'object', ...schema }) : undefined;
}
