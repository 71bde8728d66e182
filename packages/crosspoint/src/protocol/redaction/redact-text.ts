import { isSecretScalarName } from './secret-name.ts';

/** The mask that replaces a secret. */
export const MASK = '[redacted]';

/*
 * Text from anywhere is masked, so every expression is linear in it: after a part of bounded length, each is either certain to match
 * or repeats only characters that cannot begin it anew.
 */
const URL_CREDENTIALS = /:\/\/[^\s/@:"'`<>]*:[^\s/"'`<>]*@/g;
const SCHEME_AND_TOKEN = /\b(bearer|dpop)(\s{1,3})([\w.~+/=-]{4}[\w.~+/=-]*)/gi;
/** A plain word after "bearer", as in a sentence: not a token. */
const WORD = /^[A-Za-z][a-z]{0,18}[.,]?$/;
const KNOWN_TOKEN =
  /\b(?:[sprk]k[-_][\w-]{8}|gh[pousr]_\w{16}|github_pat_\w{16}|gl[a-z]{2,5}-[\w-]{16}|xox[a-z]-[\w-]{8}|xapp-[\w-]{8}|A[KS]IA[A-Z\d]{12}|AIza[\w-]{20}|ya29\.[\w-]{8}|GOCSPX-[\w-]{16}|hf_\w{16}|npm_\w{16}|pypi-[\w-]{16}|SG\.[\w-]{16}|hvs\.[\w-]{16}|do[opr]_v1_\w{16}|shp[a-z]{2}_\w{16}|gsk_\w{16}|whsec_\w{16}|lin_api_\w{16}|dapi[\da-f]{32}|eyJ[\w-]{8})[\w-]*(?:\.[\w-]+)*/g;

/** Masks the secrets in free text: private keys, credentials in URLs and headers, well-known tokens, and values assigned to a name of a secret. */
export function redactText(text: string): string {
  return maskNamed(
    maskPrivateKeys(text)
      .replaceAll(URL_CREDENTIALS, `://${MASK}@`)
      .replaceAll(SCHEME_AND_TOKEN, (whole, scheme: string, gap: string, token: string) =>
        WORD.test(token) ? whole : scheme + gap + MASK,
      )
      .replaceAll(KNOWN_TOKEN, MASK),
  );
}

const PEM_BEGIN = '-----BEGIN ';
const PEM_END = '-----END ';
const PEM_LABEL = 60;

/** Masks private keys in PEM, up to the end of the text where the block is cut short. */
function maskPrivateKeys(text: string): string {
  let masked = '';
  let from = 0;
  for (let at = text.indexOf(PEM_BEGIN); at !== -1; at = text.indexOf(PEM_BEGIN, at + 1)) {
    if (!text.slice(at, at + PEM_LABEL).includes('PRIVATE KEY')) continue;
    masked += text.slice(from, at) + MASK;
    const end = text.indexOf(PEM_END, at);
    if (end === -1) return masked;
    const close = text.indexOf('-----', end + PEM_END.length);
    if (close === -1) return masked;
    from = close + 5;
    at = from - 1;
  }
  return masked + text.slice(from);
}

/** A word in which the name of a secret may end, up to the separator after it. Matches are few, so each name can then be checked closely. */
const ASSIGNMENT =
  /(?:authorization|cookies?|passw(?:or)?ds?|passphrase|passcode|pwd|secrets?|token|credentials?|keys?|connection[-_. ]?string|(?:session[-_. ]?|s)id|phpsessid|auth|bearer|dsn|pass)[\s"'`\\\]]{0,5}[=:]/gi;

/** Masks the value after each `name=` and `name: ` that names a secret. A value is scanned once, a name up to `NAME_SPAN` characters. */
function maskNamed(text: string): string {
  let masked = '';
  let from = 0;
  ASSIGNMENT.lastIndex = 0;
  while (ASSIGNMENT.test(text)) {
    const name = nameBefore(text, ASSIGNMENT.lastIndex - 1, from);
    if (!isSecretScalarName(name)) continue;
    const value = valueAfter(text, ASSIGNMENT.lastIndex, /(?:authorization|cookie)$/i.test(name));
    if (value === undefined) continue;
    masked += text.slice(from, value.begin) + MASK;
    from = value.end;
    ASSIGNMENT.lastIndex = from;
  }
  return masked + text.slice(from);
}

const NAME_SPAN = 64;

/** The words before a separator, quotes and brackets around them left out. */
function nameBefore(text: string, separator: number, from: number): string {
  const first = Math.max(from, separator - NAME_SPAN);
  let end = separator;
  while (end > first && /[\s"'`\\\]]/.test(text.charAt(end - 1))) end--;
  let begin = end;
  while (begin > first && /[\w .$-]/.test(text.charAt(begin - 1))) begin--;
  return text.slice(begin, end);
}

const SCHEME = /(?:basic|bearer|digest|dpop|negotiate|token) +/iy;
const OPENS_MEMBERS = /[[{][\s"'\]}]/y;

/** Finds the value after a separator. It ends at its closing quote, at the end of the line for a header, otherwise at the next delimiter. */
function valueAfter(text: string, separator: number, isHeader: boolean): { begin: number; end: number } | undefined {
  const open = after(/[=>]?\s{0,3}/y, text, separator);
  if (after(OPENS_MEMBERS, text, open) > open) return undefined;
  const inner = after(/\\?["'`]/y, text, open);
  const begin = isHeader ? after(SCHEME, text, inner) : inner;
  const end =
    inner > open
      ? closingQuote(text, begin, text.slice(open, inner))
      : after(isHeader ? /(?:[^\r\n"'=]|=(?:"[^\r\n"]*")?)*/y : /[^\s"',;&]*/y, text, begin);
  return end > begin ? { begin, end } : undefined;
}

/** The place of the closing quote, or the end of the line. A quote with a backslash ends at another one, as in JSON inside of JSON. */
function closingQuote(text: string, begin: number, quote: string): number {
  for (let at = begin; at < text.length; at++) {
    if (text.startsWith(quote, at)) return at;
    const char = text.charAt(at);
    if (char === '\n') return at;
    if (char === '\\') at++;
  }
  return text.length;
}

/** The end of the match of a sticky expression; `at` itself where it does not match. */
function after(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}
