import type { CallToolResult } from 'crosspoint/client';
import { visibleLine, visibleText, type JsonObject } from '@crosspoint/host';

/** Any value as JSON for people. */
export const shown = (value: unknown): string => visibleText(JSON.stringify(value, undefined, 2) ?? '');

/** The result of a call: texts as they are, everything else as JSON. */
export function shownResult({ content, structuredContent, isError }: CallToolResult): string {
  const lines = content.map((block) => (block.type === 'text' ? visibleText(block.text) : shown(block).slice(0, 500)));
  if (lines.length === 0) lines.push(shown(structuredContent ?? {}));
  return [...(isError === true ? ['The tool failed:'] : []), ...lines].join('\n');
}

/** JSON that can be typed: every character that a terminal would act on is written as its code. */
export function typable(value: JsonObject): string {
  const code = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[\p{C}\u2028\u2029]/gu, (unseen) => unseen.split('').map(code).join(''));
}

/** A text that can be typed as it is; nothing where it cannot, and has to be typed anew. */
export const typableText = (text: string): string => (visibleLine(text) === text ? text : '');

/** The JSON object that was typed; no members where nothing was. Throws for anything else. */
export function readObject(text: string): JsonObject {
  const value: unknown = text === '' ? {} : JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SyntaxError('Arguments are a JSON object, such as {"city": "Rome"}.');
  return value as JsonObject;
}
