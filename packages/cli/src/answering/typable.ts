import { visibleLine, type JsonObject } from '@crosspoint/host';

/** A text that can stand on the line as if it was typed; nothing where it holds what a terminal would act on. */
export function typable(text: string): string {
  return visibleLine(text) === text ? text : '';
}

/** JSON that can be typed: every character that a terminal would act on is written as its code. */
export function typableJson(value: JsonObject): string {
  const code = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[\p{C}\u2028\u2029]/gu, (unseen) => unseen.split('').map(code).join(''));
}
