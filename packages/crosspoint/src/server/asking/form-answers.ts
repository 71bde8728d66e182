import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { describeIssue, isMultipleOf, type ValidationIssue } from '@crosspoint/json-schema/internal';

type Path = readonly (string | number)[];

/** Keywords that say what is valid and that only the validator of `fromJsonSchema` knows. Forms have no words for them. */
const BEYOND_FORMS = [
  'pattern',
  'not',
  'if',
  'allOf',
  '$ref',
  '$dynamicRef',
  'contains',
  'prefixItems',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'unevaluatedProperties',
  'unevaluatedItems',
];

/** Throws `TypeError` for a form whose answers could be checked only in part. */
export function requireCheckable(form: JsonObject): void {
  const { properties, additionalProperties, items } = form;
  const beyond = BEYOND_FORMS.find((keyword) => form[keyword] !== undefined);
  const unknown = beyond ?? (isJsonObject(additionalProperties) ? 'additionalProperties' : undefined);
  if (unknown !== undefined)
    throw new TypeError(
      `A form does not check "${unknown}". Ask with a schema that does: a Standard Schema as \`schema\`, or ` +
        "fromJsonSchema(…) of 'crosspoint/schema'.",
    );
  if (isJsonObject(items)) requireCheckable(items);
  if (isJsonObject(properties))
    for (const field of Object.values(properties)) if (isJsonObject(field)) requireCheckable(field);
}

/** The faults of an answer to a form; none when it fits. The form is one level of text, numbers, yes-or-no and choices. */
export function formIssues(form: JsonObject, answer: unknown): readonly ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  checkObject(form, answer, issues);
  return issues;
}

function checkObject(form: JsonObject, answer: unknown, issues: ValidationIssue[]): void {
  if (!isJsonObject(answer)) return void issues.push(issueAt([], 'type', `expected object, got ${typeName(answer)}`));
  const { required, additionalProperties } = form;
  const properties = isJsonObject(form['properties']) ? form['properties'] : {};
  for (const name of Array.isArray(required) ? (required as unknown[]) : [])
    if (typeof name === 'string' && own(answer, name) === undefined)
      issues.push(issueAt([], 'required', `missing required property \`${name}\``));
  for (const [name, value] of Object.entries(answer)) {
    const field = own(properties, name);
    if (field === undefined && additionalProperties === false)
      issues.push(issueAt([name], 'additionalProperties', 'is not expected here'));
    if (isJsonObject(field) && value !== undefined) checkValue(field, value, [name], issues);
  }
}

function checkValue(field: JsonObject, value: unknown, path: Path, issues: ValidationIssue[]): void {
  const fault = typeFault(field, value) ?? choiceFault(field, value) ?? boundsFault(field, value);
  if (fault !== undefined) return void issues.push(issueAt(path, ...fault));
  const { items } = field;
  if (Array.isArray(value) && isJsonObject(items))
    for (const [index, item] of value.entries()) checkValue(items, item, [...path, index], issues);
}

type Fault = readonly [keyword: string, message: string];

function typeFault({ type }: JsonObject, value: unknown): Fault | undefined {
  const types: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (types.length === 0 || types.some((name) => isOfType(name, value))) return undefined;
  return ['type', `expected ${types.join(' or ')}, got ${typeName(value)}`];
}

function isOfType(type: unknown, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeName(value) === type;
}

function typeName(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function choiceFault(field: JsonObject, value: unknown): Fault | undefined {
  const titled = field['oneOf'] ?? field['anyOf'];
  const choices: unknown = Array.isArray(titled)
    ? titled.map((option: unknown) => (isJsonObject(option) ? option['const'] : undefined))
    : (field['enum'] ?? (field['const'] === undefined ? undefined : [field['const']]));
  if (!Array.isArray(choices) || choices.includes(value)) return undefined;
  return ['enum', `expected one of ${choices.slice(0, 20).map(String).join(', ')}`];
}

function boundsFault(field: JsonObject, value: unknown): Fault | undefined {
  if (typeof value === 'string') return sizeFault(field, ['minLength', 'maxLength', 'character'], lengthOf(value));
  if (typeof value === 'number') return numberFault(field, value);
  if (!Array.isArray(value)) return undefined;
  if (field['uniqueItems'] === true && new Set<unknown>(value).size < value.length)
    return ['uniqueItems', 'expected items that all differ'];
  return sizeFault(field, ['minItems', 'maxItems', 'item'], value.length);
}

/** In code points, as JSON Schema counts. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _point of text) length += 1;
  return length;
}

function sizeFault(
  field: JsonObject,
  [least, most, what]: readonly [string, string, string],
  size: number,
): Fault | undefined {
  const [min, max] = [field[least], field[most]];
  const words = (limit: number): string => `${limit} ${what}${limit === 1 ? '' : 's'}`;
  if (typeof min === 'number' && size < min) return [least, `expected at least ${words(min)}`];
  if (typeof max === 'number' && size > max) return [most, `expected at most ${words(max)}`];
  return undefined;
}

function numberFault(field: JsonObject, value: number): Fault | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = field;
  if (typeof minimum === 'number' && value < minimum) return ['minimum', `expected at least ${minimum}`];
  if (typeof maximum === 'number' && value > maximum) return ['maximum', `expected at most ${maximum}`];
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    return ['exclusiveMinimum', `expected more than ${exclusiveMinimum}`];
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    return ['exclusiveMaximum', `expected less than ${exclusiveMaximum}`];
  if (typeof multipleOf === 'number' && multipleOf > 0 && !isMultipleOf(value, multipleOf))
    return ['multipleOf', `expected a multiple of ${multipleOf}`];
  return undefined;
}

function issueAt(path: Path, keyword: string, message: string): ValidationIssue {
  return { path, message: describeIssue(path, message), keyword };
}

function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
