const LINE = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=\s*(.*)$/;
const COMMENT = /^\s*(?:#.*)?$/;
const QUOTED = /^(["'])(.*)\1\s*(?:#.*)?$/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

export interface EnvFile {
  readonly variables: ReadonlyMap<string, string>;
  /** Numbers of the lines that are no `NAME=value`, from 1. */
  readonly badLines: readonly number[];
}

/**
 * Reads a file of variables: `NAME=value` a line, `export` before it allowed, values in quotes of either kind, `#` begins a comment. In double
 * quotes `\n`, `\r`, `\t`, `\"` and `\\` are escapes. Nothing is expanded. The last of two equal names counts.
 */
export function parseEnvFile(text: string): EnvFile {
  const variables = new Map<string, string>();
  const badLines: number[] = [];
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (COMMENT.test(line)) continue;
    const [, name, value = ''] = LINE.exec(line) ?? [];
    const read = name === undefined ? undefined : readValue(value);
    if (name === undefined || read === undefined) badLines.push(at + 1);
    else variables.set(name, read);
  }
  return { variables, badLines };
}

function readValue(text: string): string | undefined {
  if (!/^["']/.test(text)) return (text.split(/\s#/, 1)[0] ?? '').trimEnd();
  const [, quote, inner = ''] = QUOTED.exec(text) ?? [];
  if (quote === undefined) return undefined;
  if (quote === "'") return inner;
  return inner.replaceAll(/\\(.)/g, (all, letter: string) => ESCAPES[letter] ?? all);
}
