import type { ToolAnnotations } from 'crosspoint';
import type { AnySchema } from 'crosspoint/schema';
import type { ToolCallback } from 'crosspoint/server';

interface OldTool {
  readonly config: { description?: string; inputSchema?: AnySchema; annotations?: ToolAnnotations };
  readonly callback: ToolCallback<AnySchema | undefined>;
}

/** What follows the name in `tool(name, …)`: a description, then parameters, then annotations, each if there is one, and the callback. */
export function readOldToolArguments(name: string, given: readonly unknown[]): OldTool {
  const rest = [...given];
  const callback = rest.pop();
  if (typeof callback !== 'function') throw new TypeError(`The tool "${name}" needs a function as its last argument.`);
  const config: OldTool['config'] = {};
  if (typeof rest[0] === 'string') config.description = rest.shift() as string;
  if (isSchema(rest[0]) || isShape(rest[0])) config.inputSchema = rest.shift() as AnySchema;
  if (isAnnotations(rest[0])) config.annotations = rest.shift() as ToolAnnotations;
  if (rest.some((left) => left !== undefined))
    throw new TypeError(`The tool "${name}" was given something that is neither parameters nor annotations.`);
  return { config, callback: callback as OldTool['callback'] };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Of any library, or of zod before its version 3.25. */
const isSchema = (value: unknown): boolean => isObject(value) && ('~standard' in value || '_def' in value);

/** The empty object takes no parameters. */
const isShape = (value: unknown): boolean => isObject(value) && Object.values(value).every(isSchema);

const isAnnotations = (value: unknown): boolean =>
  isObject(value) && !Object.values(value).some((member) => isObject(member));
