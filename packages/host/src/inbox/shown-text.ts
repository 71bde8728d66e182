import type { JsonObject } from '../values/json.ts';
import { visibleLine, visibleText } from '../values/visible-text.ts';

const MOST_LINES = 400;
const LONGEST_JSON = 8000;

/** A text on one line, cut at a length and saying how much was cut. */
export function cut(text: string, length: number): string {
  return text.length <= length
    ? visibleLine(text)
    : `${visibleLine(text.slice(0, length))}… (${text.length - length} more characters)`;
}

export function quoted(text: string): string {
  return `"${cut(text, 200)}"`;
}

/** Every line of a JSON value, cut at a length. */
export function jsonLines(value: JsonObject): string[] {
  const text = JSON.stringify(value, null, 2);
  const shown =
    text.length > LONGEST_JSON
      ? `${text.slice(0, LONGEST_JSON)}… (${text.length - LONGEST_JSON} more characters)`
      : text;
  return visibleText(shown).split('\n');
}

export function limited(lines: readonly string[]): readonly string[] {
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES - 1), `… (${lines.length - MOST_LINES + 1} more lines)`];
}
