import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';
import { isSecretName } from './redact.ts';

const COMMON = ['type', 'title', 'description', 'default'];
const STRING_FORMATS: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time']);
const MORE_SECRETS = /(?:^|[_\s-])(?:pin|cvv|cvc|ssn|card[_\s-]?number|iban)$|(?:Pin|Cvv|Cvc|Ssn|CardNumber|Iban)$/;

/**
 * A form that every client can show: one level of text, number, yes-or-no and choice. What the form has no words for (a pattern, an exclusive
 * bound) is left out, since the answer is checked against the whole schema anyway. Throws `TypeError` for what no form can ask.
 */
export function formSchema(schema: unknown): JsonObject {
  if (!isJsonObject(schema) || schema['type'] !== 'object' || !isJsonObject(schema['properties'])) throw new TypeError('A form asks for an object with properties.');
  const properties = Object.fromEntries(Object.entries(schema['properties']).map(([name, field]) => [name, formField(name, field)]));
  const { required } = schema;
  const needed = Array.isArray(required) ? required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name)) : [];
  return { type: 'object', properties, ...(needed.length > 0 && { required: needed }) };
}

function formField(name: string, field: unknown): JsonObject {
  if (isSecretName(name) || MORE_SECRETS.test(name)) throw new TypeError(`The field "${name}" looks like a secret. A form must not ask for one: use URL mode, where the user enters it on your own page.`);
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

function stringField(name: string, field: JsonObject): JsonObject {
  if (field['enum'] !== undefined || field['oneOf'] !== undefined) return choice(name, field);
  const { format, ...rest } = kept(field, [...COMMON, 'minLength', 'maxLength', 'format']);
  return STRING_FORMATS.has(format) ? { ...rest, format } : rest;
}

/** Schema libraries write a choice of strings without saying that they are strings. */
function untyped(name: string, field: JsonObject): JsonObject {
  const { enum: values, anyOf, oneOf } = field;
  if (Array.isArray(values) && values.every((value) => typeof value === 'string')) return choice(name, { type: 'string', ...field });
  const titled = Array.isArray(oneOf) ? oneOf : anyOf;
  if (Array.isArray(titled) && titled.every((option) => isJsonObject(option) && typeof option['const'] === 'string')) return choice(name, { ...field, type: 'string', oneOf: titled });
  throw new TypeError(`The field "${name}" cannot be asked in a form: fields are text, numbers, yes-or-no, and choices of them; nothing is nested.`);
}

function choice(name: string, field: JsonObject): JsonObject {
  const { enum: values, oneOf } = field;
  const options = Array.isArray(oneOf) ? oneOf.map((option: unknown) => (isJsonObject(option) ? option['const'] : undefined)) : values;
  if (!Array.isArray(options) || options.length === 0 || !options.every((option) => typeof option === 'string')) throw new TypeError(`The choices of the field "${name}" must be strings.`);
  if (!Array.isArray(oneOf)) return kept(field, [...COMMON, 'enum', 'enumNames']);
  const titled = (oneOf as JsonObject[]).map((option) => kept(option, ['const', 'title']));
  return { ...kept(field, COMMON), oneOf: titled.map((option) => ({ title: option['const'], ...option })) };
}

function choices(name: string, field: JsonObject): JsonObject {
  const { items } = field;
  if (!isJsonObject(items)) throw new TypeError(`The field "${name}" is a list of anything: a form can ask for several of given choices only.`);
  const { anyOf, enum: values } = items;
  const shape = Array.isArray(anyOf)
    ? { anyOf: anyOf.map((option: unknown) => (isJsonObject(option) ? { title: option['const'], ...kept(option, ['const', 'title']) } : option)) }
    : { type: 'string', enum: values };
  if (!Array.isArray(anyOf) && !(Array.isArray(values) && values.every((value) => typeof value === 'string'))) throw new TypeError(`The choices of the field "${name}" must be strings.`);
  return { ...kept(field, [...COMMON, 'minItems', 'maxItems']), items: shape };
}

function kept(from: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]));
}
