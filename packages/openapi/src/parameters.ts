import { isJsonObject } from 'crosspoint/internal';
import type { JsonObject } from 'crosspoint';
import { resolved } from './pointer.ts';

export type Location = 'path' | 'query' | 'header' | 'cookie';

export interface Parameter {
  readonly name: string;
  readonly in: Location;
  readonly isRequired: boolean;
  readonly schema: unknown;
  readonly description: string | undefined;
  readonly style: string;
  readonly explode: boolean;
  /** Whether the value is written as JSON instead of in the style. */
  readonly isJson: boolean;
}

const LOCATIONS: readonly Location[] = ['path', 'query', 'header', 'cookie'];
/** Headers that belong to the program or the transport: never an argument that a model fills in. */
const NOT_FOR_CALLERS =
  /^(?:accept|content-type|content-length|content-encoding|transfer-encoding|authorization|proxy-.*|cookie|host|connection|upgrade|te|trailer|expect|keep-alive|forwarded|x-forwarded-.*|origin|referer)$/i;
const DEFAULT_STYLES: Readonly<Record<Location, string>> = {
  path: 'simple',
  query: 'form',
  header: 'simple',
  cookie: 'form',
};

/** The parameters of an operation: its own, and those of its path that it does not replace. In the order path, query, header, cookie. */
export function parametersOf(document: JsonObject, pathItem: JsonObject, operation: JsonObject): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const given of [...listOf(pathItem['parameters']), ...listOf(operation['parameters'])]) {
    const parameter = read(resolved(document, given));
    if (parameter !== undefined) found.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return [...found.values()].sort((a, b) => LOCATIONS.indexOf(a.in) - LOCATIONS.indexOf(b.in));
}

function read(given: JsonObject | undefined): Parameter | undefined {
  const { name, in: location, style, explode, content } = given ?? {};
  if (given === undefined || typeof name !== 'string' || !LOCATIONS.includes(location as Location)) return undefined;
  if (location === 'header' && NOT_FOR_CALLERS.test(name)) return undefined;
  const where = location as Location;
  const [media] = isJsonObject(content) ? Object.values(content) : [];
  const chosen = typeof style === 'string' ? style : DEFAULT_STYLES[where];
  return {
    name,
    in: where,
    isRequired: where === 'path' || given['required'] === true,
    schema: isJsonObject(media) ? media['schema'] : given['schema'],
    description: typeof given['description'] === 'string' ? given['description'] : undefined,
    style: chosen,
    explode: typeof explode === 'boolean' ? explode : chosen === 'form',
    isJson: isJsonObject(media),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
