import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';

const COMMON = ['type', 'title', 'description', 'default'];
const STRING_FORMATS: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time']);
/** Words that make a field a secret wherever they stand in its name, and those that do so only at its end. */
const SECRET_WORDS =
  /\b(?:password|passwd|passphrase|passcode|secret|credentials?|api key|apikey|private key|access key|access token|card number|credit card)\b/;
const SECRET_ENDS = /\b(?:pin|pin code|otp|totp|cvv|cvc|ssn|iban|pwd|token|authorization|cookie)$/;

/**
 * Reduces a schema to a form that every client can show: one level of text, number, yes-or-no and choice. Constraints that forms lack (a pattern, an
 * exclusive bound) are left out; the answer is checked against the whole schema anyway. Throws `TypeError` for a field that no form can ask for.
 */
export function formSchema(schema: unknown): JsonObject {
  if (!isJsonObject(schema) || schema['type'] !== 'object' || !isJsonObject(schema['properties']))
    throw new TypeError('A form needs an object schema with properties.');
  const properties = Object.fromEntries(
    Object.entries(schema['properties']).map(([name, field]) => [name, formField(name, field)]),
  );
  const { required } = schema;
  const needed = Array.isArray(required)
    ? required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name))
    : [];
  return { type: 'object', properties, ...(needed.length > 0 && { required: needed }) };
}

function formField(name: string, field: unknown): JsonObject {
  if (isSecretField(name, field))
    throw new TypeError(
      `The field "${name}" looks like a secret. A form must not ask for one: use URL mode, with a page of your own.`,
    );
  if (!isJsonObject(field)) throw new TypeError(`The field "${name}" needs a schema.`);
  switch (field['type']) {
    case 'string':
      return stringField(name, field);
    case 'number':
    case 'integer':
      return kept(field, [...COMMON, 'minimum', 'maximum']);
    case 'boolean':
      return kept(field, COMMON);
    case 'array':
      return choices(name, field);
    default:
      return untyped(name, field);
  }
}

/** Judges by the name and the title, in either spelling of several words. Only texts and numbers can be secrets. */
export function isSecretField(name: string, field: unknown): boolean {
  if (
    !isJsonObject(field) ||
    field['type'] === 'boolean' ||
    Array.isArray(field['enum']) ||
    Array.isArray(field['oneOf'])
  )
    return false;
  if (field['format'] === 'password') return true;
  return [name, field['title']].some((text) => typeof text === 'string' && hasSecretWord(text));
}

function hasSecretWord(text: string): boolean {
  const words = text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_\s.-]+/g, ' ')
    .toLowerCase();
  return SECRET_WORDS.test(words) || SECRET_ENDS.test(words);
}

function stringField(name: string, field: JsonObject): JsonObject {
  if (field['enum'] !== undefined || field['oneOf'] !== undefined) return choice(name, field);
  if (typeof field['const'] === 'string') return choice(name, { ...field, enum: [field['const']] });
  const { format, ...rest } = kept(field, [...COMMON, 'minLength', 'maxLength', 'format']);
  return STRING_FORMATS.has(format) ? { ...rest, format } : rest;
}

/** Adds the missing type: schema libraries write a choice of strings without `"type": "string"`. */
function untyped(name: string, field: JsonObject): JsonObject {
  const { enum: values, anyOf, oneOf } = field;
  if (Array.isArray(values) && values.every((value) => typeof value === 'string'))
    return choice(name, { type: 'string', ...field });
  const titled = Array.isArray(oneOf) ? oneOf : anyOf;
  if (Array.isArray(titled) && titled.every((option) => isJsonObject(option) && typeof option['const'] === 'string'))
    return choice(name, { ...field, type: 'string', oneOf: titled });
  throw new TypeError(
    `The field "${name}" cannot be asked in a form: fields are text, numbers, yes-or-no, and choices of them; nothing is nested.`,
  );
}

function choice(name: string, field: JsonObject): JsonObject {
  const { enum: values, oneOf } = field;
  const options = Array.isArray(oneOf)
    ? oneOf.map((option: unknown) => (isJsonObject(option) ? option['const'] : undefined))
    : values;
  if (!Array.isArray(options) || options.length === 0 || !options.every((option) => typeof option === 'string'))
    throw new TypeError(`The choices of the field "${name}" must be strings.`);
  if (!Array.isArray(oneOf)) return kept(field, [...COMMON, 'enum', 'enumNames']);
  const titled = (oneOf as JsonObject[]).map((option) => kept(option, ['const', 'title']));
  return { ...kept(field, COMMON), oneOf: titled.map((option) => ({ title: option['const'], ...option })) };
}

function choices(name: string, field: JsonObject): JsonObject {
  const { items } = field;
  if (!isJsonObject(items))
    throw new TypeError(
      `The field "${name}" is a list without given choices: a form can only ask for several of them.`,
    );
  const { anyOf, enum: values } = items;
  const shape = Array.isArray(anyOf)
    ? {
        anyOf: anyOf.map((option: unknown) =>
          isJsonObject(option) ? { title: option['const'], ...kept(option, ['const', 'title']) } : option,
        ),
      }
    : { type: 'string', enum: values };
  const titled =
    Array.isArray(anyOf) &&
    anyOf.length > 0 &&
    anyOf.every((option) => isJsonObject(option) && typeof option['const'] === 'string');
  if (!titled && !(Array.isArray(values) && values.every((value) => typeof value === 'string')))
    throw new TypeError(`The choices of the field "${name}" must be strings.`);
  return { ...kept(field, [...COMMON, 'minItems', 'maxItems']), items: shape };
}

function kept(from: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]));
}
