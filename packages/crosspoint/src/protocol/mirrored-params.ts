import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';

/** An argument that HTTP requests repeat in a header. */
export interface MirroredParam {
  /** The whole header name in lower case. */
  readonly header: string;
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'boolean';
}

/** The mirrored arguments of a tool, or the fault in its annotations. */
export type MirroredParams =
  | { readonly ok: true; readonly params: readonly MirroredParam[] }
  | { readonly ok: false; readonly fault: string };

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
const DECIMAL = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NONE: MirroredParams = { ok: true, params: [] };
const MAX_DEPTH = 64;

/** Reads the annotations of an input schema. They are allowed only on members that `properties` alone lead to. */
export function readMirroredParams(inputSchema: unknown): MirroredParams {
  if (!mentions(inputSchema, 0)) return NONE;
  const params: MirroredParam[] = [];
  const fault = collect(inputSchema, [], params) ?? duplicate(params);
  return fault === undefined ? { ok: true, params } : { ok: false, fault };
}

/** The header text of an argument; `undefined` where the argument is absent or not of the declared type. */
export function mirroredText(param: MirroredParam, args: JsonObject): string | undefined {
  const value = valueAt(args, param.path);
  if (value === undefined || value === null) return undefined;
  const fits = param.type === 'integer' ? Number.isSafeInteger(value) : typeof value === param.type;
  return fits ? `${value as string | number | boolean}` : undefined;
}

/** Whether a header matches the argument. Integers are compared as numbers. */
export function mirrors(param: MirroredParam, args: JsonObject, header: string | undefined): boolean {
  const text = mirroredText(param, args);
  if (text === undefined || header === undefined) return text === header;
  return param.type === 'integer' ? DECIMAL.test(header) && Number(header) === Number(text) : header === text;
}

function valueAt(args: JsonObject, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const key of path) value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** Collects annotations under `properties`; one anywhere else is a fault. */
function collect(schema: unknown, path: readonly string[], found: MirroredParam[]): string | undefined {
  if (!isJsonObject(schema) || path.length > MAX_DEPTH) return undefined;
  const name = schema[ANNOTATION];
  if (name !== undefined) {
    const fault = annotationFault(name, schema, path);
    if (fault !== undefined) return fault;
    found.push({
      header: `mcp-param-${(name as string).toLowerCase()}`,
      path,
      type: schema['type'] as MirroredParam['type'],
    });
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties' && isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        const fault = collect(member, [...path, key], found);
        if (fault !== undefined) return fault;
      }
    } else if (!DATA.has(keyword) && mentions(value, 0)) {
      return `${ANNOTATION} may stand only on a property that properties alone lead to, not below "${keyword}"`;
    }
  }
  return undefined;
}

/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required', ANNOTATION]);

function annotationFault(name: unknown, schema: JsonObject, path: readonly string[]): string | undefined {
  if (path.length === 0) return `${ANNOTATION} cannot stand on the schema itself`;
  if (typeof name !== 'string' || !TOKEN.test(name))
    return `${ANNOTATION} must be a header name, not ${JSON.stringify(name)}`;
  if (!TYPES.has(schema['type']))
    return `${ANNOTATION} may stand only on a string, an integer or a boolean, not on ${path.join('.')}`;
  return undefined;
}

function duplicate(params: readonly MirroredParam[]): string | undefined {
  const names = new Set<string>();
  for (const { header } of params) {
    if (names.has(header)) return `two arguments want the header ${header}`;
    names.add(header);
  }
  return undefined;
}

function mentions(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.some((item) => mentions(item, depth + 1));
  return Object.entries(value).some(([key, item]) => key === ANNOTATION || mentions(item, depth + 1));
}
