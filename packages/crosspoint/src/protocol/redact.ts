const SECRET_KEY = /(?:^|[_.\s-])(?:authorization|cookie|password|passwd|passphrase|secret|token|api[_-]?key|apikey|private[_-]?key|client[_-]?secret|access[_-]?key|credentials?)$/i;
const CAMEL_SECRET_KEY = /(?:Authorization|Cookie|Password|Secret|Token|ApiKey|PrivateKey|AccessKey|Credentials?)$/;
// Bounded repetitions only: each pattern is linear in its input.
const SECRET_TEXT: readonly RegExp[] = [
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi,
  /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
];
const ASSIGNMENT = /\b((?:api[_-]?key|access[_-]?token|refresh[_-]?token|client[_-]?secret|password|passwd|secret|token)["']?\s*[=:]\s*["']?)[^\s"',;&]{3,}/gi;
const MASK = '[redacted]';
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
  const inner = (item: unknown): unknown => ((left.values -= 1) < 0 ? '[too large]' : redactWithin(item, depth + 1, left));
  if (Array.isArray(value)) return value.slice(0, left.values + 1).map(inner);
  if (hasToJson(value)) return inner(value.toJSON());
  const members = Object.entries(value).slice(0, left.values + 1);
  return Object.fromEntries(members.map(([key, item]) => [key, isSecretName(key) && item !== undefined && item !== null ? MASK : inner(item)]));
}

export function redactText(text: string): string {
  let clean = text.replace(ASSIGNMENT, `$1${MASK}`);
  for (const pattern of SECRET_TEXT) clean = clean.replace(pattern, MASK);
  return clean;
}

/** Whether a member, flag or variable of this name usually holds a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_KEY.test(name) || CAMEL_SECRET_KEY.test(name);
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
