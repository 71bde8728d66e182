import { isJsonObject } from 'crosspoint/internal';
import type { JsonObject } from 'crosspoint';
import { readYaml } from './read-yaml.ts';

const MAX_LENGTH = 64 * 1024;

/** Parses the YAML between the lines of dashes into a map. Throws an error that says why it cannot. */
export type ParseFrontmatter = (yaml: string) => JsonObject;

export interface Manifest {
  readonly frontmatter: JsonObject;
  /** The text after the front matter. */
  readonly body: string;
}

/** Reads a `SKILL.md`. Throws with the reason when it does not begin with readable front matter. */
export function readManifest(text: string, parse: ParseFrontmatter = parseFrontmatter): Manifest {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const opening = /^---[ \t]*\r?\n/.exec(source)?.[0];
  if (opening === undefined)
    throw new Error('It does not begin with front matter: a line "---", YAML, and a line "---".');
  const closing = /^---[ \t]*(?:\r?\n|$)/gm;
  closing.lastIndex = opening.length;
  const end = closing.exec(source);
  if (end === null) throw new Error('Its front matter is not closed with a line "---".');
  if (end.index > MAX_LENGTH)
    throw new Error(`Its front matter has ${end.index} characters, and ${MAX_LENGTH} are the limit.`);
  const yaml = source.slice(opening.length, end.index).replaceAll('\r\n', '\n');
  return { frontmatter: parse(yaml), body: source.slice(end.index + end[0].length) };
}

function parseFrontmatter(yaml: string): JsonObject {
  const value = readYaml(yaml);
  if (!isJsonObject(value)) throw new Error('Its front matter is not a map: write lines such as "name: …".');
  return value;
}

/** The paths of the members in which two JSON values differ; empty when they are equal. */
export function differences(left: unknown, right: unknown, path = ''): string[] {
  if (left === right) return [];
  if (isJsonObject(left) && isJsonObject(right)) {
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    return keys.flatMap((key) => differences(own(left, key), own(right, key), path === '' ? key : `${path}.${key}`));
  }
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length)
    return left.flatMap((item, index) => differences(item, right[index], `${path}[${index}]`));
  return [path];
}

const own = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);
