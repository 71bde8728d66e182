import { jsonTokens } from '../../values/json-tokens.ts';

/** The text of JSON with every line that is new since `before` indented as the other lines are: by tabs, or by as many spaces. */
export function indentedLike(before: string, after: string): string {
  const lines = before.split('\n');
  const unit = lines.map((line) => /^([ \t]+)"/.exec(line)?.[1]).find((space) => space !== undefined) ?? '  ';
  const old = new Set(lines);
  let depth = 0;
  return after
    .split('\n')
    .map((line) => {
      const signs = jsonTokens(line).map(({ text }) => text);
      const closing = /^\s*[\]}]/.test(line) ? 1 : 0;
      const here = depth - closing;
      depth += signs.filter((sign) => /^[[{]$/.test(sign)).length - signs.filter((sign) => /^[\]}]$/.test(sign)).length;
      return old.has(line) ? line : `${unit.repeat(Math.max(0, here))}${line.trimStart()}`;
    })
    .join('\n');
}
