/** Characters of a text that patterns are held against; a longer text is not looked at. */
export const MAX_GLOB_TEXT = 65_536;

/** Whether a text has the form of a pattern. `*` stands for any characters, none included; every other character for itself. */
export function matchesGlob(pattern: string, text: string): boolean {
  const pieces = pattern.split('*');
  const first = pieces[0] ?? '';
  if (pieces.length === 1) return text === pattern;
  const last = pieces[pieces.length - 1] ?? '';
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  // The earliest place of each piece leaves the most for the others, so no choice is ever taken back.
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
