/** Whether a text fits a pattern: `*` stands for any characters, `?` for one. Takes steps in proportion to both lengths multiplied, at most. */
export function fitsGlob(pattern: string, text: string): boolean {
  let inPattern = 0;
  let inText = 0;
  let star = -1;
  let resume = 0;
  while (inText < text.length) {
    const wanted = pattern[inPattern];
    if (wanted === '*') {
      star = inPattern;
      resume = inText;
      inPattern += 1;
    } else if (wanted !== undefined && (wanted === '?' || wanted === text[inText])) {
      inPattern += 1;
      inText += 1;
    } else if (star >= 0) {
      // The last star takes one more character.
      resume += 1;
      inText = resume;
      inPattern = star + 1;
    } else {
      return false;
    }
  }
  while (pattern[inPattern] === '*') inPattern += 1;
  return inPattern === pattern.length;
}
