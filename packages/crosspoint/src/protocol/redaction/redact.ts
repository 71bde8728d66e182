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
  return redactBy(value, { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES, text: redactText });
}

/** Bounds of a copy, and what its maker knows better than the names of members tell. */
export interface RedactionRules {
  readonly maxDepth: number;
  readonly maxValues: number;
  /** Masks the secrets in a text. */
  readonly text: (text: string) => string;
  /** Masks the secrets in the name of a member; without it, names are kept. */
  readonly name?: (name: string) => string;
  /** Says whether a member is masked, or copied whatever its name is. `undefined`: its name decides. */
  readonly judge?: (key: string, item: unknown, place: Place) => 'mask' | 'copy' | undefined;
}

/** An object or array in the value: its depth, the name of the member that holds it, and the name of the one around that. */
export interface Place {
  readonly depth: number;
  readonly name: string;
  readonly above: string;
  readonly holder: object;
}

/** Like `redact`, by rules of the caller's own. */
export function redactBy(value: unknown, rules: RedactionRules): unknown {
  return redactWithin(value, { depth: 0, name: '', above: '' }, { rules, values: rules.maxValues });
}

/** `values` is shared by the whole copy: objects that refer to each other would otherwise be copied exponentially often. */
interface Copying {
  readonly rules: RedactionRules;
  values: number;
}

function redactWithin(value: unknown, place: Omit<Place, 'holder'>, copying: Copying): unknown {
  const { rules } = copying;
  if (typeof value === 'string') return rules.text(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (place.depth >= rules.maxDepth) return '[too deep]';
  if (value instanceof Error) return `${value.name}: ${rules.text(value.message)}`;
  const inner = (item: unknown, name: string, above: string): unknown =>
    (copying.values -= 1) < 0
      ? '[too large]'
      : redactWithin(item, { depth: place.depth + 1, name: name.slice(-NAME_SPAN), above }, copying);
  if (Array.isArray(value))
    return value.slice(0, copying.values + 1).map((item) => inner(item, place.name, place.above));
  if (hasToJson(value)) return inner(value.toJSON(), place.name, place.above);
  const here = { ...place, holder: value };
  const members = Object.entries(value).slice(0, copying.values + 1);
  return Object.fromEntries(
    members.map(([key, item]) => [
      rules.name?.(key) ?? key,
      isMasked(key, item, { place: here, rules }) ? MASK : inner(item, key, place.name),
    ]),
  );
}

function isMasked(key: string, item: unknown, { place, rules }: { place: Place; rules: RedactionRules }): boolean {
  if (item === undefined || item === null) return false;
  const verdict = rules.judge?.(key, item, place);
  return verdict === undefined ? isSecret(key, item, place.name) : verdict === 'mask';
}

/** A member is judged by its name alone (`apiKey`) and after that of its object (`auth: { key }`). */
function isSecret(key: string, item: unknown, parent: string): boolean {
  const judge = typeof item === 'object' ? isSecretName : isSecretScalarName;
  return judge(key) || (parent !== '' && judge(`${parent}.${key}`));
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
