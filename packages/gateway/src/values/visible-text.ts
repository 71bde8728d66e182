/**
 * Characters that a terminal or an editor acts on or does not show: control characters, characters that change the direction of text, those
 * without width, and tags. A server can hide words or commands behind them.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu;
const LINE_ENDS = /\r?\n/g;

/** A text of a server whose lines stay lines; every other unseen character as its code: `\u{1b}`. Tabs stay. */
export function visibleText(text: string): string {
  return text.split(LINE_ENDS).map(visibleLine).join('\n');
}

function visibleLine(line: string): string {
  return line.replace(UNSEEN, (character) =>
    character === '\t' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
