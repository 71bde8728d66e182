import { asError, isJsonObject, report } from 'crosspoint/internal';
import type { JsonObject, ToolAnnotations } from 'crosspoint';
import { fromJsonSchema } from 'crosspoint/schema';
import { McpServer, ToolError } from 'crosspoint/server';
import { resultOf } from './answer.ts';
import { findOperations, readOperation, type Operation } from './operation.ts';
import {
  OPEN_API_LIMITS,
  OpenApiError,
  type OpenApiLimits,
  type OpenApiOptions,
  type OperationFacts,
  type OperationFilter,
} from './options.ts';
import { readDocument } from './read-document.ts';
import { connectApi, failureText, type Api } from './send.ts';

const MAX_NAME = 64;

/**
 * Makes a server of an OpenAPI 3.0 or 3.1 document: each operation becomes a tool. The document is JSON, as text or as a value; references to other
 * documents are not loaded unless `externalRefs` allows it. Rejects with an `OpenApiError` when the document is invalid or beyond a limit.
 */
export async function fromOpenApi(document: string | object, options: OpenApiOptions = {}): Promise<McpServer> {
  const limits: Required<OpenApiLimits> = { ...OPEN_API_LIMITS, ...options.limits };
  const read = await readDocument(document, options, limits);
  const api = connectApi(read, options, limits);
  const server = new McpServer(infoOf(read), options.server);
  const taken = new Set<string>();
  for (const operation of chosenOperations(read, options, limits)) {
    const name = nameOf(operation.facts, taken);
    try {
      register(server, operation, name, { api, onproblem: options.onproblem });
      taken.add(name);
    } catch (error) {
      // The operation's schema is invalid.
      options.onskipped?.(operation.facts, asError(error).message);
    }
  }
  return server;
}

function infoOf({ info }: JsonObject): { name: string; version: string } {
  const { title, version } = isJsonObject(info) ? info : {};
  return {
    name: typeof title === 'string' ? title.slice(0, 200) : 'api',
    version: typeof version === 'string' ? version.slice(0, 100) : '0',
  };
}

function chosenOperations(document: JsonObject, options: OpenApiOptions, limits: Required<OpenApiLimits>): Operation[] {
  const { include, exclude, onskipped, outputSchemas = true } = options;
  const { operations, schemaValues } = limits;
  // Room for an input and an output schema per operation. Operations skipped as too large use it up as well.
  const room = { left: 2 * operations * schemaValues };
  const chosen: Operation[] = [];
  for (const found of findOperations(document)) {
    if (
      (include !== undefined && !matches(include, found.facts)) ||
      (exclude !== undefined && matches(exclude, found.facts))
    )
      continue;
    try {
      chosen.push(readOperation(document, found, { schemaValues, room, output: outputSchemas }));
    } catch (error) {
      if (!(error instanceof OpenApiError)) throw error;
      onskipped?.(found.facts, error.message);
    }
    if (chosen.length > operations)
      throw new OpenApiError(
        `The document has more than ${operations} operations: choose with include and exclude, or raise limits.operations.`,
      );
  }
  return chosen;
}

function matches(filter: OperationFilter, facts: OperationFacts): boolean {
  if (typeof filter === 'function') return filter(facts);
  const { method, path, operationId, tags } = facts;
  const names = [`${method.toUpperCase()} ${path}`, ...tags, ...(operationId === undefined ? [] : [operationId])];
  return filter.some((wanted) => names.includes(wanted));
}

function register(
  server: McpServer,
  operation: Operation,
  name: string,
  { api, onproblem }: { api: Api; onproblem: OpenApiOptions['onproblem'] },
): void {
  const { facts, title, description, inputSchema, outputSchema } = operation;
  const config = {
    ...(title !== undefined && { title }),
    description: description ?? title ?? `${facts.method.toUpperCase()} ${facts.path}`,
    inputSchema: fromJsonSchema(inputSchema),
    ...(outputSchema && { outputSchema: fromJsonSchema(outputSchema) }),
    annotations: annotationsOf(facts.method),
  };
  server.registerTool(name, config, async (args: unknown, ctx) => {
    try {
      const response = await api.send(operation, isJsonObject(args) ? args : {}, ctx.signal);
      return await resultOf(response, name, outputSchema !== undefined);
    } catch (error) {
      // The text of any other error may hold a secret of the program.
      const words = failureText(error) ?? 'The API could not be asked.';
      if (!ctx.aborted) report(onproblem, error, operation.facts);
      throw new ToolError(words, { cause: error });
    }
  });
}

/** The name of a tool: the operation's id, or its method and path, in characters that every host accepts, made unique. */
function nameOf({ operationId, method, path }: OperationFacts, taken: ReadonlySet<string>): string {
  const letters = (operationId ?? `${method}${path}`)
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^_+/, '')
    .slice(0, MAX_NAME);
  let end = letters.length;
  while (letters[end - 1] === '_') end -= 1;
  const wanted = letters.slice(0, end);
  const base = wanted === '' ? method : wanted;
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base.slice(0, MAX_NAME - 5)}_${number}`;
  return name;
}

/** The annotations that follow from the HTTP method. */
function annotationsOf(method: string): ToolAnnotations {
  if (method === 'get') return { readOnlyHint: true, openWorldHint: true };
  if (method === 'delete')
    return { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
  if (method === 'put')
    return { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
  return { readOnlyHint: false, openWorldHint: true };
}
