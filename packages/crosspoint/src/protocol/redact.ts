const SECRET_KEY =
  /(?:^|[_.\s-])(?:authorization|cookie|password|passwd|passphrase|secret|token|api[_-]?key|apikey|private[_-]?key|client[_-]?secret|access[_-]?key|credentials?)$/i;
const CAMEL_SECRET_KEY = /(?:Authorization|Cookie|Password|Secret|Token|ApiKey|PrivateKey|AccessKey|Credentials?)$/;
const SECRET_WORD =
  'token|secret|passwd|password|passphrase|pwd|api[-_]?key|access[-_]?key|private[-_]?key|auth|authorization|credentials?|bearer|cookie|dsn|connection[-_]?string';
// Bounded repetitions only: each pattern is linear in its input.
const NAMED_VALUE = new RegExp(
  `((?:${SECRET_WORD})["']?\\s{0,3}[=:]\\s{0,3}["']?)(?!(?:bearer|basic)\\s)[^\\s"',;&]{1,500}`,
  'gi',
);
const URL_CREDENTIALS = /([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@:]{0,200}:[^\s/@]{1,200}@/gi;
const AUTH_SCHEME = /(\bbearer|authorization["']?\s{0,3}[:=]\s{0,3}["']?basic)\s{1,3}[A-Za-z0-9._~+/=-]{4,}/gi;
const KNOWN_TOKEN =
  /\b(?:[sprk]k[-_][A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeoprs]-[A-Za-z0-9-]{8,}|AKIA[A-Z0-9]{12,}|npm_[A-Za-z0-9]{16,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.?[A-Za-z0-9_-]*)/g;

/** What stands in the place of a secret. */
export const MASK = '[redacted]';
const MAX_DEPTH = 12;
const MAX_VALUES = 10_000;

/** A JSON-like copy in which whatever looks like a credential is masked: by the name of its member, or by its own form. Bounded in depth and size. */
export function redact(value: unknown): unknown {
  return redactWithin(value, 0, { values: MAX_VALUES });
}

/** `left` is shared by the whole copy: objects that refer to each other would otherwise be copied exponentially often. */
function redactWithin(value: unknown, depth: number, left: { values: number }): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[too deep]';
  if (value instanceof Error) return `${value.name}: ${redactText(value.message)}`;
  const inner = (item: unknown): unknown =>
    (left.values -= 1) < 0 ? '[too large]' : redactWithin(item, depth + 1, left);
  if (Array.isArray(value)) return value.slice(0, left.values + 1).map(inner);
  if (hasToJson(value)) return inner(value.toJSON());
  const members = Object.entries(value).slice(0, left.values + 1);
  return Object.fromEntries(
    members.map(([key, item]) => [key, isSecretName(key) && item !== undefined && item !== null ? MASK : inner(item)]),
  );
}

/** Free text as it may be shown: credentials in URLs and headers, well-known tokens, and what is assigned to a secret's name. */
export function redactText(text: string): string {
  return text
    .replaceAll(URL_CREDENTIALS, `$1${MASK}@`)
    .replaceAll(AUTH_SCHEME, `$1 ${MASK}`)
    .replaceAll(KNOWN_TOKEN, MASK)
    .replaceAll(NAMED_VALUE, `$1${MASK}`);
}

/** Whether a member, flag or variable of this name usually holds a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_KEY.test(name) || CAMEL_SECRET_KEY.test(name);
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
