import { isObject, type Json, type JsonObject } from '../values/json.ts';
import { literalSecrets, isSecretName, type PlacedText } from './hidden-values.ts';
import { sourcePointer } from './formats/shapes.ts';
import { placedTexts } from './interpolation/resolve-entry.ts';
import type { ServerEntry } from './server-entry.ts';
import { withTexts } from './texts.ts';

/** A secret that a configuration holds as it is. */
export interface WrittenSecret {
  readonly server: string;
  /** The way to it in the entry: `['env', 'API_KEY']`, `['headers', 'Authorization']`, `['args', 2]`, `['url']`, `['other', …]`. */
  readonly path: readonly (string | number)[];
  /** JSON pointer into the file of the entry. */
  readonly pointer: string;
  readonly value: string;
}

/** The word before the secret in a header. */
const SCHEME = /^(?:bearer|basic|digest|token|apikey)\s+/i;

/**
 * The entry with a reference in place of every secret that is written into it as it is, for those who keep secrets elsewhere. `referTo` gives the
 * reference. Secrets are told by their place (headers, variables and options with such names) and by their look.
 *
 * ```ts
 * const kept = separateSecrets(entry, ({ path, value }) => {
 *   values.set(path.join('/'), value);
 *   return `\${secret:${path.join('/')}}`;
 * });
 * ```
 */
export function separateSecrets(entry: ServerEntry, referTo: (secret: WrittenSecret) => string): ServerEntry {
  const told = (path: WrittenSecret['path'], pointer: string, value: string): string =>
    referTo({ server: entry.name, path, pointer, value });
  const placed = new Map(placedTexts(entry.reach).map((text) => [text.path.join('\0'), text]));
  const reach = withTexts(entry.reach, (text) => {
    let kept = text.text;
    for (const secret of secretsIn(placed.get(text.path.join('\0')) ?? text))
      kept = kept.replaceAll(secret, () => told(text.path, sourcePointer(entry, text.path), secret));
    return kept;
  });
  if (entry.other === undefined) return { ...entry, reach };
  const replace = (path: readonly string[], value: string): string =>
    told(['other', ...path], sourcePointer(entry, path), value);
  return { ...entry, reach, other: cleanMembers(entry.other, [], replace) };
}

/** The secrets of a text, none of them a part of another. */
function secretsIn(placed: PlacedText): string[] {
  const found = literalSecrets(placed);
  if (placed.path[0] !== 'headers') return [...new Set(found)];
  const [whole] = found;
  return whole === undefined ? [] : [whole.replace(SCHEME, '')];
}

function cleanMembers(
  members: JsonObject,
  path: readonly string[],
  replace: (path: readonly string[], value: string) => string,
): Readonly<Record<string, Json>> {
  const cleaned = Object.entries(members).map(([key, value]) => {
    const here = [...path, key];
    if (isObject(value)) return [key, cleanMembers(value, here, replace)];
    const isSecret = typeof value === 'string' && value !== '' && !value.includes('${') && isSecretName(key);
    return [key, isSecret ? replace(here, value) : value];
  });
  return Object.fromEntries(cleaned) as Record<string, Json>;
}
