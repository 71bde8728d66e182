import {
  atOnce,
  described,
  isJsonObject,
  isSecretField,
  isSecretScalarName,
  MASK,
  redactBy,
  redactText,
  sha256Sync,
  toHex,
  type Place,
  type RedactionRules,
} from 'crosspoint/internal';
import type { JsonObject } from 'crosspoint';

/** Levels of a line that are kept; the reader takes twice as many. */
const MAX_DEPTH = 128;
/** More values than a line of the greatest length can have. */
const MAX_VALUES = 16_000_000;
/** Shorter texts are not looked for: they would be found everywhere. */
const LEAST_SECRET = 4;
/** Names of form fields that are remembered; the answers to all others are masked. */
const MAX_FIELDS = 10_000;
const DIGEST = 12;

/** Texts that are masked wherever they occur. A function is asked for each line: it may know more with time. */
export type KnownSecrets = Iterable<string> | (() => Iterable<string>);

/*
 * Beyond `redactText`: a recording is kept and passed on, so more is worth losing. As there, each expression is linear: after a part of bounded
 * length it repeats only characters that cannot begin it anew.
 */
const USER_IN_URL = /:\/\/[^\s/@:?#"'`<>]+@/g;
const SECRET_PARAMETER =
  /([?&#](?:code|code_verifier|sig|signature|assertion|client_assertion|ticket|jwt|x-amz-signature|x-goog-signature)=)[^\s&#"'`<>]+/gi;
const BASIC = /\b(basic {1,3})([a-z\d+/_-]{8}[a-z\d+/_=-]*)/gi;
const WORD = /^[a-z]+$|^[A-Z][a-z]+$/;

/** Masks the secrets of the lines of one file. It remembers which fields of forms are secrets, so lines are to come in their order. */
export class LineRedaction {
  readonly #known: KnownSecrets;
  /** By name of a field in any form so far, whether it is a secret in one of them. */
  readonly #fields = new Map<string, boolean>();
  readonly #names = new NameMasks();

  constructor(known: KnownSecrets = []) {
    // A list is copied: an iterator could be used once only.
    this.#known = typeof known === 'function' ? known : [...known];
  }

  /** A copy that may be written. Throws what the program's function throws: without the list of secrets, nothing may be written. */
  redacted(line: JsonObject): JsonObject {
    const rules = rulesWith(secretTexts(this.#known), this.#names);
    const { message, session } = line;
    if (isJsonObject(message)) this.#learn(message);
    const masked = {
      ...line,
      ...(isJsonObject(message) && { message: this.#withoutAnswers(message) }),
      ...(typeof session === 'string' && { session: digestOf(session) }),
    };
    const { session: digest, ...rest } = masked as JsonObject;
    return { ...(redactBy(rest, rules) as JsonObject), ...(digest !== undefined && { session: digest }) };
  }

  /** Notes the fields of the forms that a message brings: a question, or a result with several. */
  #learn({ method, params, result }: JsonObject): void {
    if (method === 'elicitation/create') this.#learnForm(params);
    for (const part of [params, result])
      if (isJsonObject(part) && isJsonObject(part['inputRequests']))
        for (const ask of Object.values(part['inputRequests'])) this.#learnForm(isJsonObject(ask) && ask['params']);
  }

  #learnForm(params: unknown): void {
    const schema = isJsonObject(params) ? params['requestedSchema'] : undefined;
    const fields = isJsonObject(schema) ? schema['properties'] : undefined;
    if (!isJsonObject(fields)) return;
    for (const [name, field] of Object.entries(fields)) {
      const isKnown = this.#fields.has(name);
      if (!isKnown && this.#fields.size >= MAX_FIELDS) return;
      const isSecret = isSecretField(name, field) || (isJsonObject(field) && hidesValue(field));
      if (!isKnown || isSecret) this.#fields.set(name, isSecret);
    }
  }

  /** Masks secret fields in the answers to forms, and fields whose question was not seen. */
  #withoutAnswers(message: JsonObject): JsonObject {
    const { result, params } = message;
    if (isJsonObject(result)) return { ...message, result: this.#answer(result) };
    const responses = isJsonObject(params) ? params['inputResponses'] : undefined;
    if (!isJsonObject(params) || !isJsonObject(responses)) return message;
    const answers = Object.entries(responses).map(([key, given]) => [
      key,
      isJsonObject(given) ? this.#answer(given) : given,
    ]);
    return { ...message, params: { ...params, inputResponses: Object.fromEntries(answers) as JsonObject } };
  }

  #answer(given: JsonObject): JsonObject {
    const { action, content } = given;
    if (typeof action !== 'string' || !isJsonObject(content)) return given;
    const fields = Object.entries(content).map(([name, value]) => [
      name,
      this.#fields.get(name) === false ? value : MASK,
    ]);
    return { ...given, content: Object.fromEntries(fields) as JsonObject };
  }
}

/** The texts to look for, the longest first, since one may be a part of another; also as they stand in a URL or inside of JSON. */
function secretTexts(known: KnownSecrets): readonly string[] {
  const given = typeof known === 'function' ? atOnce(known(), 'secrets') : known;
  const texts = new Set<string>();
  for (const secret of given) {
    if (typeof secret !== 'string')
      throw new TypeError(`Every item of secrets must be a string, not ${described(secret)}.`);
    if (secret.length < LEAST_SECRET) continue;
    for (const text of [secret, urlEncoded(secret), JSON.stringify(secret).slice(1, -1)]) texts.add(text);
  }
  return [...texts].sort((a, b) => b.length - a.length);
}

function urlEncoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // Half of a surrogate pair has no such form.
    return text;
  }
}

function rulesWith(secrets: readonly string[], names: NameMasks): RedactionRules {
  const withoutKnown = (text: string): string => secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
  const text = (given: string): string => masked(withoutKnown(given));
  const name = (given: string): string => names.of(withoutKnown(given));
  const judge = (key: string, item: unknown, place: Place): 'mask' | 'copy' | undefined =>
    typeof item === 'number' && secrets.includes(String(item)) ? 'mask' : judgeMember(key, item, place);
  return { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES, text, name, judge };
}

/** The shortest text that could hold a name, a separator and a value. */
const LEAST_TEXT = 5;

/** Masks the secrets that are known by their form. */
function masked(text: string): string {
  if (text.length < LEAST_TEXT) return text;
  return redactText(text)
    .replaceAll(USER_IN_URL, `://${MASK}@`)
    .replaceAll(SECRET_PARAMETER, `$1${MASK}`)
    .replaceAll(BASIC, (whole, scheme: string, value: string) => (WORD.test(value) ? whole : scheme + MASK));
}

/** Masked names of members. They are few and come again with every message, so some are remembered. */
class NameMasks {
  readonly #masks = new Map<string, string>();

  of(name: string): string {
    const mask = this.#masks.get(name) ?? masked(name);
    if (name.length <= 64) {
      if (this.#masks.size >= 1000) this.#masks.clear();
      this.#masks.set(name, mask);
    }
    return mask;
  }
}

/** Words of a schema that say nothing of its values. */
const SCHEMA_WORDS: ReadonlySet<string> = new Set(
  'type title description format minLength maxLength minimum maximum pattern required properties items anyOf oneOf allOf $ref writeOnly readOnly deprecated additionalProperties'.split(
    ' ',
  ),
);
const SCHEMA_VALUES: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);

/** Knows better than names: what only looks like a secret is copied, what only looks harmless is masked. */
function judgeMember(key: string, item: unknown, { name, above, holder }: Place): 'mask' | 'copy' | undefined {
  // Names a call, and is a credential of nobody.
  if (key === 'progressToken' && typeof item !== 'object') return 'copy';
  // The schema of a secret is none: tools without it could not be called again. Its values may be.
  if (name === 'properties' && isSchema(item)) return 'copy';
  if (above === 'properties' && isSecretScalarName(name) && isSchema(holder))
    return SCHEMA_WORDS.has(key) ? 'copy' : 'mask';
  const { name: given, key: keyed } = holder as JsonObject;
  if (SCHEMA_VALUES.has(key) && hidesValue(holder as JsonObject)) return 'mask';
  // A list of pairs, such as headers or variables of the environment.
  const named = given ?? keyed;
  if (key === 'value' && typeof named === 'string' && isSecretScalarName(named)) return 'mask';
  return undefined;
}

/** Whether a schema says that its value is not to be shown. */
function hidesValue({ format, writeOnly }: JsonObject): boolean {
  return format === 'password' || writeOnly === true;
}

function isSchema(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { type, anyOf, oneOf, allOf, $ref } = value;
  return typeof (type ?? $ref) === 'string' || [type, anyOf, oneOf, allOf].some((part) => Array.isArray(part));
}

function digestOf(session: string): string {
  return toHex(sha256Sync(new TextEncoder().encode(session))).slice(0, DIGEST);
}
