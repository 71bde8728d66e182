import { MASK, redactText } from './redact-text.ts';
import { isSecretName, isSecretScalarName } from './secret-name.ts';

const MAX_DEPTH = 12;
const MAX_VALUES = 10_000;
/** Characters of a member's name that are kept to judge the names inside it. */
const NAME_SPAN = 64;

/**
 * Copies a value with its credentials masked. A credential is found by the name of its member or by its own form. The copy is bounded in depth and size.
 *
 * ```ts
 * import { redact } from 'crosspoint/middleware';
 *
 * console.log(redact({ user: 'ada', password: 'lovelace', note: 'Authorization: Bearer abc123def' }));
 * // { user: 'ada', password: '[redacted]', note: 'Authorization: Bearer [redacted]' }
 * ```
 */
export function redact(value: unknown): unknown {
  return redactWithin(value, { depth: 0, name: '' }, { values: MAX_VALUES });
}

/** The depth of a value and the name of the member that holds it. */
interface Place {
  readonly depth: number;
  readonly name: string;
}

/** `left` is shared by the whole copy: objects that refer to each other would otherwise be copied exponentially often. */
function redactWithin(value: unknown, place: Place, left: { values: number }): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (place.depth >= MAX_DEPTH) return '[too deep]';
  if (value instanceof Error) return `${value.name}: ${redactText(value.message)}`;
  const inner = (item: unknown, name: string): unknown =>
    (left.values -= 1) < 0 ? '[too large]' : redactWithin(item, { depth: place.depth + 1, name }, left);
  if (Array.isArray(value)) return value.slice(0, left.values + 1).map((item) => inner(item, place.name));
  if (hasToJson(value)) return inner(value.toJSON(), place.name);
  const members = Object.entries(value).slice(0, left.values + 1);
  return Object.fromEntries(
    members.map(([key, item]) => [key, isSecret(key, item, place.name) ? MASK : inner(item, key.slice(-NAME_SPAN))]),
  );
}

/** A member is judged by its name alone (`apiKey`) and after that of its object (`auth: { key }`). */
function isSecret(key: string, item: unknown, parent: string): boolean {
  if (item === undefined || item === null) return false;
  const judge = typeof item === 'object' ? isSecretName : isSecretScalarName;
  return judge(key) || (parent !== '' && judge(`${parent}.${key}`));
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
