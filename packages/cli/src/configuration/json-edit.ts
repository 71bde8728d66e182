import type { Json } from '@crosspoint/host';
import { isWithin, readJsonTree, type JsonMember, type JsonNode } from './json-tree.ts';

type Path = readonly string[];

/** A piece of a text, and the text in its place. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with the member at `path` set; objects on the way are made. Comments and layout of everything else stay. */
export function withMember(text: string, path: Path, value: Json): string {
  let node = readJsonTree(text);
  for (const [at, key] of path.entries()) {
    const member = node.members?.find((one) => one.key === key);
    if (member === undefined) return applied(text, addition(text, node, key, nested(path.slice(at + 1), value)));
    node = member.value;
    if (node.members === undefined || at === path.length - 1) {
      const written = indented(nested(path.slice(at + 1), value), indentAt(text, member.start));
      return applied(text, [{ start: node.start, end: node.end, text: written }]);
    }
  }
  return text;
}

/** The text without the member at `path`; its own line goes with it, comments above it stay. */
export function withoutMember(text: string, path: Path): string {
  let node: JsonNode | undefined = readJsonTree(text);
  for (const key of path.slice(0, -1)) node = node?.members?.find((one) => one.key === key)?.value;
  const members = node?.members ?? [];
  const at = members.findIndex(({ key }) => key === path.at(-1));
  const member = members[at];
  if (member === undefined) return text;
  const before = members[at - 1];
  const isLast = member.comma === undefined;
  const edits: Edit[] = [{ ...lineOf(text, member), text: '' }];
  if (isLast && before?.comma !== undefined) edits.push({ start: before.comma, end: before.comma + 1, text: '' });
  return applied(text, edits);
}

const KEY = /"(?:[^"\\]|\\.)*"/y;

/** The text with another key for the member at `path`; everything else stays. */
export function withKey(text: string, path: Path, key: string): string {
  let members = readJsonTree(text).members;
  for (const step of path.slice(0, -1)) members = members?.find((one) => one.key === step)?.value.members;
  const member = members?.find((one) => one.key === path.at(-1));
  if (member === undefined) return text;
  KEY.lastIndex = member.start;
  const { length = 0 } = KEY.exec(text)?.[0] ?? {};
  return applied(text, [{ start: member.start, end: member.start + length, text: JSON.stringify(key) }]);
}

/** Sets the members that differ, each by itself, so that comments among the others stay. */
export function withDifferences(text: string, path: Path, before: Json | undefined, after: Json): string {
  if (!isPlainObject(before) || !isPlainObject(after))
    return JSON.stringify(before) === JSON.stringify(after) ? text : withMember(text, path, after);
  let edited = text;
  for (const key of Object.keys(before)) if (after[key] === undefined) edited = withoutMember(edited, [...path, key]);
  for (const [key, value] of Object.entries(after))
    if (value !== undefined) edited = withDifferences(edited, [...path, key], before[key], value);
  return edited;
}

function isPlainObject(value: Json | undefined): value is { readonly [key: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nested(path: Path, value: Json): Json {
  return path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
}

/** The edits that add a member behind the last one. */
function addition(text: string, node: JsonNode, key: string, value: Json): Edit[] {
  const members = node.members ?? [];
  const outer = indentAt(text, node.start);
  const last = members.at(-1);
  const inner =
    members[0] !== undefined && beginsLine(text, members[0].start) ? indentAt(text, members[0].start) : `${outer}  `;
  const written = `${inner}${JSON.stringify(key)}: ${indented(value, inner)}`;
  const close = node.end - 1;
  if (last === undefined) {
    const head = text.slice(node.start, close).trimEnd();
    return [{ start: node.start + head.length, end: close, text: `\n${written}\n${outer}` }];
  }
  const behind = last.comma === undefined ? last.value.end : last.comma + 1;
  const comma: Edit[] = last.comma === undefined ? [{ start: last.value.end, end: last.value.end, text: ',' }] : [];
  const line = restOfLine(text, behind);
  const hasLineEnd = isWithin(text, line) && line < close;
  const place = hasLineEnd ? line : behind;
  const ending = `${last.comma === undefined ? '' : ','}${hasLineEnd ? '' : `\n${outer}`}`;
  const skipped = hasLineEnd ? place : place + (/^[ \t]*/.exec(text.slice(place, close))?.[0].length ?? 0);
  return [...comma, { start: place, end: skipped, text: `\n${written}${ending}` }];
}

/** The member with its comma and its own line, where it has one. */
function lineOf(text: string, { start, value, comma }: JsonMember): Omit<Edit, 'text'> {
  const end = comma === undefined ? value.end : comma + 1;
  if (!beginsLine(text, start)) return { start, end };
  const line = restOfLine(text, end);
  const begin = text.slice(0, start).trimEnd().length;
  const lineStart = text.lastIndexOf('\n', start - 1);
  return { start: Math.max(begin, lineStart), end: isWithin(text, line) ? line : end };
}

const REST_OF_LINE = /[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)?(?=\r?\n)/y;

/** The end of the line, where nothing but spaces and a comment follow; otherwise -1. */
function restOfLine(text: string, from: number): number {
  REST_OF_LINE.lastIndex = from;
  return REST_OF_LINE.test(text) ? REST_OF_LINE.lastIndex : -1;
}

function beginsLine(text: string, at: number): boolean {
  return text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trim() === '';
}

/** The spaces at the beginning of the line. */
function indentAt(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? '';
}

function indented(value: Json, indent: string): string {
  return JSON.stringify(value, undefined, 2).replaceAll('\n', `\n${indent}`);
}

/** Applies edits from the end of the text to its beginning; of two at one place, the later stands behind. */
function applied(text: string, edits: readonly Edit[]): string {
  return edits
    .toReversed()
    .toSorted((one, other) => other.start - one.start)
    .reduce((edited, { start, end, text: piece }) => edited.slice(0, start) + piece + edited.slice(end), text);
}
