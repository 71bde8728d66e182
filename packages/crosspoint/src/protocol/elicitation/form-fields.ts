import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../errors.ts';

export interface FormOption {
  readonly value: string;
  readonly label: string;
}

interface FieldBase {
  readonly name: string;
  /** The label to show: the title, or the name where there is none. */
  readonly label: string;
  readonly description?: string;
  readonly required: boolean;
}

/** One field of a form, however its server spelled it. */
export type FormField =
  | (FieldBase & {
      readonly kind: 'text';
      readonly format?: string;
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly pattern?: string;
      readonly default?: string;
    })
  | (FieldBase & {
      readonly kind: 'number' | 'integer';
      readonly minimum?: number;
      readonly maximum?: number;
      readonly default?: number;
    })
  | (FieldBase & { readonly kind: 'boolean'; readonly default?: boolean })
  | (FieldBase & { readonly kind: 'choice'; readonly options: readonly FormOption[]; readonly default?: string })
  | (FieldBase & {
      readonly kind: 'choices';
      readonly options: readonly FormOption[];
      readonly minItems?: number;
      readonly maxItems?: number;
      readonly default?: readonly string[];
    });

/** Reads the fields of a `requestedSchema`, in order. Throws `invalid-params` for a schema that is not a form, or has a field that no form can have. */
export function readForm(requestedSchema: unknown): readonly FormField[] {
  const properties = isJsonObject(requestedSchema) ? requestedSchema['properties'] : undefined;
  if (!isJsonObject(requestedSchema) || requestedSchema['type'] !== 'object' || !isJsonObject(properties))
    throw invalid('a form needs an object schema with properties');
  const { required } = requestedSchema;
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, field]) => {
    if (!isJsonObject(field)) throw invalid(`the field "${name}" has no schema`);
    const { title, description } = field;
    const base: FieldBase = {
      name,
      label: typeof title === 'string' ? title : name,
      required: needed.has(name),
      ...(typeof description === 'string' && { description }),
    };
    return readField(base, field);
  });
}

function readField(base: FieldBase, field: JsonObject): FormField {
  switch (field['type']) {
    case 'string':
      return 'enum' in field || 'oneOf' in field
        ? readChoice(base, field)
        : {
            ...base,
            kind: 'text',
            ...pick(field, 'string', 'format', 'pattern', 'default'),
            ...pick(field, 'number', 'minLength', 'maxLength'),
          };
    case 'number':
    case 'integer':
      return { ...base, kind: field['type'], ...pick(field, 'number', 'minimum', 'maximum', 'default') };
    case 'boolean':
      return { ...base, kind: 'boolean', ...pick(field, 'boolean', 'default') };
    case 'array':
      return readChoices(base, field);
    default:
      throw invalid(`the field "${base.name}" has a type that no form can have`);
  }
}

function readChoice(base: FieldBase, field: JsonObject): FormField {
  return {
    ...base,
    kind: 'choice',
    options: readOptions(base.name, field['oneOf'], field['enum'], field['enumNames']),
    ...pick(field, 'string', 'default'),
  };
}

function readChoices(base: FieldBase, { items, default: chosen, ...field }: JsonObject): FormField {
  if (!isJsonObject(items)) throw invalid(`the field "${base.name}" is a list without given choices`);
  const options = readOptions(base.name, items['anyOf'] ?? items['oneOf'], items['enum'], items['enumNames']);
  return {
    ...base,
    kind: 'choices',
    options,
    ...pick(field, 'number', 'minItems', 'maxItems'),
    ...(isStrings(chosen) && { default: chosen }),
  };
}

/** Titled options, plain ones, and plain ones with their names beside them, as older servers write it. */
function readOptions(name: string, titled: unknown, values: unknown, names: unknown): FormOption[] {
  if (Array.isArray(titled)) {
    return titled.map((option: unknown) => {
      if (!isJsonObject(option) || typeof option['const'] !== 'string')
        throw invalid(`the choices of the field "${name}" must be strings`);
      return { value: option['const'], label: typeof option['title'] === 'string' ? option['title'] : option['const'] };
    });
  }
  if (!isStrings(values)) throw invalid(`the choices of the field "${name}" must be strings`);
  const labels: readonly unknown[] = Array.isArray(names) ? names : [];
  return values.map((value, index) => {
    const label = labels[index];
    return { value, label: typeof label === 'string' ? label : value };
  });
}

/** The default values of a form, by field; they apply where the user leaves a field alone. */
export function formDefaults(requestedSchema: unknown): JsonObject {
  return Object.fromEntries(
    readForm(requestedSchema).flatMap((field) => (field.default === undefined ? [] : [[field.name, field.default]])),
  );
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** The members of the given type; others are dropped. */
function pick(field: JsonObject, type: 'string' | 'number' | 'boolean', ...keys: readonly string[]): object {
  return Object.fromEntries(keys.flatMap((key) => (typeof field[key] === type ? [[key, field[key]]] : [])));
}

function invalid(why: string): ProtocolError {
  return new ProtocolError('invalid-params', `The form cannot be shown: ${why}.`);
}
