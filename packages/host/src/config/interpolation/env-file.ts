const NAME = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=/;
const COMMENT = /^\s*(?:#.*)?$/;
const AFTER_QUOTE = /^\s*(?:#|$)/;
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
    const [before = '', name] = NAME.exec(line) ?? [];
    const read = name === undefined ? undefined : readValue(line.slice(before.length).trimStart());
    if (name === undefined || read === undefined) badLines.push(at + 1);
    else variables.set(name, read);
  }
  return { variables, badLines };
}

function readValue(text: string): string | undefined {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return (text.split(/\s#/, 1)[0] ?? '').trimEnd();
  const end = endOfQuoted(text, quote);
  if (end === -1 || !AFTER_QUOTE.test(text.slice(end + 1))) return undefined;
  const inner = text.slice(1, end);
  if (quote === "'") return inner;
  return inner.replaceAll(/\\(.)/g, (all, letter: string) => ESCAPES[letter] ?? all);
}

/** The index of the quote that ends the text; in double quotes, one behind a backslash does not. */
function endOfQuoted(text: string, quote: string): number {
  for (let at = 1; at < text.length; at += 1) {
    if (text[at] === '\\' && quote === '"') at += 1;
    else if (text[at] === quote) return at;
  }
  return -1;
}
