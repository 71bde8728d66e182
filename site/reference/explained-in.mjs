/** Pages that name things without explaining them. */
const NOT_AN_EXPLANATION = /^docs\/(?:migration|decisions|performance|troubleshooting|index)/;

/** Finds the page that explains a name: the first that says it in a heading, in its words, or else in its code. */
export function explainedIn(pages) {
  const candidates = pages
    .filter(({ file }) => !NOT_AN_EXPLANATION.test(file))
    .map(({ file, title, source }) => {
      const code = source.match(/^```[\s\S]*?^```/gm)?.join('\n') ?? '';
      const words = source.replaceAll(/^```[\s\S]*?^```/gm, '');
      const inline = (words.match(/`[^`\n]+`/g) ?? []).join(' ');
      return { file, title, headings: (words.match(/^#+ .*$/gm) ?? []).join('\n'), inline, code };
    });
  return (name) => {
    const isNamed = new RegExp(`(?<![\\w$-])${name.replaceAll('$', '\\$')}(?![\\w$-])`);
    for (const part of ['headings', 'inline', 'code']) {
      const found = candidates.find((page) => isNamed.test(page[part]));
      if (found !== undefined) return found;
    }
    return undefined;
  };
}
