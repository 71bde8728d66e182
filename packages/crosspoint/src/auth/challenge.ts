/** One challenge of a `WWW-Authenticate` header; scheme and parameter names are in lower case. */
export interface Challenge {
  readonly scheme: string;
  readonly params: Readonly<Record<string, string>>;
}

const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const TOKEN68 = /[A-Za-z0-9._~+/-]+=*(?=\s*(?:,|$))/y;
const MAX_LENGTH = 16 * 1024;

/** Parses a header, which may hold several challenges. Parsing stops at the first syntax error; nothing is thrown. */
export function parseChallenges(header: string | null | undefined): Challenge[] {
  if (header === null || header === undefined || header.length > MAX_LENGTH) return [];
  const text = header;
  const found: { scheme: string; params: Record<string, string> }[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at += match[0].length;
    return match?.[0];
  };
  for (;;) {
    take(/[\s,]*/y);
    const start = at;
    const word = take(TOKEN);
    if (word === undefined) return found;
    take(/\s*/y);
    const current = found.at(-1);
    if (text[at] === '=' && current !== undefined) {
      at += 1;
      take(/\s*/y);
      const value = text[at] === '"' ? takeQuoted() : take(TOKEN);
      if (value === undefined) return found;
      current.params[word.toLowerCase()] ??= value;
      continue;
    }
    if (at === start + word.length && at < text.length && text[at] !== ',') return found;
    found.push({ scheme: word.toLowerCase(), params: {} });
    take(TOKEN68);
  }

  function takeQuoted(): string | undefined {
    const quoted = take(/"(?:[^"\\]|\\.)*"/sy);
    return quoted?.slice(1, -1).replaceAll(/\\(.)/gs, '$1');
  }
}

/** Writes a challenge as a header value. Values are quoted; characters that a header must not contain are dropped. */
export function writeChallenge(scheme: string, params: Readonly<Record<string, string | undefined>>): string {
  const parts = Object.entries(params).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value.replaceAll(/[^\x20-\x7e]/g, '').replaceAll(/["\\]/g, '\\$&')}"`],
  );
  return parts.length === 0 ? scheme : `${scheme} ${parts.join(', ')}`;
}
