/**
 * Characters that a terminal or an editor acts on or does not show: control characters, characters that change the direction of text, those
 * without width, and tags. A server can hide words or commands behind them.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu;
const LINE_ENDS = /\r?\n/g;

/** A text of a server on one line, each unseen character as its code: `\u{1b}`. A line end is `\n`. */
export function visibleLine(text: string): string {
  return text.replace(LINE_ENDS, '\\n').replace(UNSEEN, codeOf);
}

/** A text of a server whose lines stay lines; every other unseen character as its code. */
export function visibleText(text: string): string {
  return text
    .split(LINE_ENDS)
    .map((line) => line.replace(UNSEEN, (character) => (character === '\t' ? character : codeOf(character))))
    .join('\n');
}

function codeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
