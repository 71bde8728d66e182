import type { ToolAnnotations } from 'crosspoint';
import type { AnySchema } from 'crosspoint/schema';
import type { ToolCallback } from 'crosspoint/server';

interface OldTool {
  readonly config: { description?: string; inputSchema?: AnySchema; annotations?: ToolAnnotations };
  readonly callback: ToolCallback<AnySchema | undefined>;
}

/** Parses the arguments of `tool(name, …)`: description, parameters and annotations, each optional, then the callback. */
export function readOldToolArguments(name: string, given: readonly unknown[]): OldTool {
  const rest = [...given];
  const callback = rest.pop();
  if (typeof callback !== 'function') throw new TypeError(`The tool "${name}" needs a function as its last argument.`);
  const config: OldTool['config'] = {};
  if (typeof rest[0] === 'string') config.description = rest.shift() as string;
  if (isSchema(rest[0]) || isShape(rest[0])) config.inputSchema = rest.shift() as AnySchema;
  if (isAnnotations(rest[0])) config.annotations = rest.shift() as ToolAnnotations;
  if (rest.some((left) => left !== undefined))
    throw new Error(`Tool ${name} expected a Zod schema or ToolAnnotations, but received an unrecognized object`);
  return { config, callback: callback as OldTool['callback'] };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A schema of any library, zod before 3.25 included. */
const isSchema = (value: unknown): boolean => isObject(value) && ('~standard' in value || '_def' in value);

/** The empty object is a shape without parameters. */
const isShape = (value: unknown): boolean => isObject(value) && Object.values(value).every(isSchema);

const isAnnotations = (value: unknown): boolean =>
  isObject(value) && !Object.values(value).some((member) => isObject(member));
