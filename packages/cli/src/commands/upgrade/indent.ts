/** The text of JSON with every line that is new since `before` indented as the other lines are: by tabs, or by as many spaces. */
export function indentedLike(before: string, after: string): string {
  const [, unit = '  '] = /^([ \t]+)"/m.exec(before) ?? [];
  const old = new Set(before.split('\n'));
  let depth = 0;
  return after
    .split('\n')
    .map((line) => {
      const signs = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
      const closing = /^\s*[\]}]/.test(line) ? 1 : 0;
      const here = depth - closing;
      depth += (signs.match(/[[{]/g)?.length ?? 0) - (signs.match(/[\]}]/g)?.length ?? 0);
      return old.has(line) ? line : `${unit.repeat(Math.max(0, here))}${line.trimStart()}`;
    })
    .join('\n');
}
