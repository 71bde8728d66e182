import { redactedEvent } from '../audit/redacted-event.ts';
import { isSecretName } from '../config/hidden-values.ts';
import { isObject, type Json, type JsonObject } from '../values/json.ts';
import { visibleText } from '../values/visible-text.ts';

/** Characters of JSON that the facts of a span or an event may have. */
const MAX_FACTS = 4096;
/** Characters of a text that are looked at; of those the first 2048 at most are kept, so no secret is cut in half. */
const LOOKED_AT = 16_384;
const MAX_LINE = 2048;
const MAX_DEPTH = 16;
const MAX_VALUES = 2000;
const MASK = '[redacted]';

/** A URL from the end of its scheme on. */
const ADDRESS = /:\/\/[^\s"'`<>]{1,4096}/g;
const BASIC = /\b(basic {1,3})[a-z\d+/_=-]{8,4096}/gi;

export type KnownSecrets = () => Iterable<string>;

/** Facts as they may be kept: plain JSON, bounded, secrets masked, unseen characters made visible. Never throws. */
export function cleanFacts(facts: JsonObject, knownSecrets: KnownSecrets): JsonObject {
  try {
    const details = plain(facts, { depth: 0, left: { values: MAX_VALUES } }) as JsonObject;
    return seen(redactedEvent({ type: '', details }, { knownSecrets, maxDetails: MAX_FACTS }).details) as JsonObject;
  } catch {
    // Without the list of secrets, or with members that throw, nothing may be kept.
    return { unwritten: true };
  }
}

/** A text as it may be kept, on one line or several. Never throws. */
export function cleanText(text: string, knownSecrets: KnownSecrets, most: number = MAX_LINE): string {
  const { text: clean } = cleanFacts({ text }, knownSecrets);
  return typeof clean === 'string' ? clean.slice(0, most) : '';
}

/** An address without its user, its fragment and the values of its parameters. */
export function shownUrl(url: string): string {
  const at = url.indexOf('://');
  return at === -1 ? url : url.slice(0, at) + withoutValues(url.slice(at));
}

/** `address` begins with `://`. */
function withoutValues(address: string): string {
  const [path = '', query] = (address.split('#', 1)[0] ?? '').split('?', 2);
  const end = path.indexOf('/', 3);
  const authority = path.slice(3, end === -1 ? undefined : end);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const rest = end === -1 ? '' : path.slice(end);
  const names = (query ?? '').split('&').filter((part) => part !== '');
  const shown = names.map((part) => (part.includes('=') ? `${part.split('=', 1)[0]}=${MASK}` : MASK));
  return `://${host}${rest}${shown.length > 0 ? `?${shown.join('&')}` : ''}`;
}

interface Place {
  readonly depth: number;
  readonly left: { values: number };
}

/** A bounded copy of anything as JSON, its texts without the secrets that addresses and headers hold. */
function plain(value: unknown, place: Place): Json | undefined {
  place.left.values -= 1;
  if (typeof value === 'string') return withoutSecrets(value.slice(0, LOOKED_AT));
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object') return undefined;
  if (place.depth >= MAX_DEPTH || place.left.values <= 0) return '[cut]';
  if (value instanceof Error) return withoutSecrets(value.message.slice(0, LOOKED_AT));
  const inner = { depth: place.depth + 1, left: place.left };
  if (Array.isArray(value))
    return value.slice(0, Math.max(0, place.left.values)).map((item: unknown) => plain(item, inner) ?? null);
  const entries = Object.entries(value).slice(0, Math.max(0, place.left.values));
  return Object.fromEntries(
    entries.map(([name, item]) => [
      withoutSecrets(name.slice(0, 256)),
      isNamedSecret(value as JsonObject, name) ? MASK : plain(item, inner),
    ]),
  );
}

/** A pair such as `{ name: 'X-Api-Key', value: '…' }`, and a text under the name of a secret. */
function isNamedSecret(holder: JsonObject, name: string): boolean {
  const item = holder[name];
  if (typeof item !== 'string' && typeof item !== 'number') return false;
  const { name: given, key } = holder;
  const named = given ?? key;
  if (name === 'value' && typeof named === 'string' && isSecretName(named)) return true;
  return typeof item === 'string' && isSecretName(name);
}

function withoutSecrets(text: string): string {
  return text.replaceAll(ADDRESS, withoutValues).replaceAll(BASIC, `$1${MASK}`);
}

function seen(value: Json): Json {
  if (typeof value === 'string') return visibleText(value);
  if (Array.isArray(value)) return value.map((item: Json) => seen(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [visibleText(name), item === undefined ? item : seen(item)]),
  );
}
