import { lookUp, type Json } from './conversion.ts';

/** The formats of JSON Schema, by the names of the checks of zod and valibot. */
const formats: Readonly<Record<string, string>> = {
  email: 'email',
  rfc_email: 'email',
  url: 'uri',
  uuid: 'uuid',
  guid: 'uuid',
  datetime: 'date-time',
  iso_timestamp: 'date-time',
  date: 'date',
  iso_date: 'date',
  time: 'time',
  duration: 'duration',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
};

/** Whether JSON Schema has the format of a check. */
export function isFormat(name: string): boolean {
  return Object.hasOwn(formats, name);
}

const limits: Readonly<Record<string, string>> = {
  min_value: 'minimum',
  max_value: 'maximum',
  gt_value: 'exclusiveMinimum',
  lt_value: 'exclusiveMaximum',
  multiple_of: 'multipleOf',
};

/** Adds the constraint of a check, which has the name that valibot gives it. A check that JSON Schema cannot express adds nothing. */
export function addCheck(json: Json, name: string, value: unknown): void {
  const [format, limit] = [lookUp(formats, name), lookUp(limits, name)];
  const unit = json['type'] === 'array' ? 'Items' : 'Length';
  if (format !== undefined) json['format'] = format;
  else if (limit !== undefined && typeof value === 'number') json[limit] = value;
  else if (name === 'integer') json['type'] = 'integer';
  else if (name === 'min_length') json[`min${unit}`] = value;
  else if (name === 'max_length') json[`max${unit}`] = value;
  else if (name === 'length') json[`min${unit}`] = json[`max${unit}`] = value;
  else if (name === 'regex') addPattern(json, value);
  else if (json['type'] === 'string') addText(json, name, String(value));
}

/** Adds a check of a part of a text. */
function addText(json: Json, name: string, part: string): void {
  const text = part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  if (name === 'starts_with') addSource(json, `^${text}`);
  if (name === 'ends_with') addSource(json, `${text}$`);
  if (name === 'includes') addSource(json, text);
}

/** Adds an expression, if its flags do not change its meaning. */
export function addPattern(json: Json, expression: unknown): void {
  if (expression instanceof RegExp && !/[imsy]/.test(expression.flags)) addSource(json, expression.source);
}

/** Adds a pattern, beside an existing one if there is any. */
function addSource(json: Json, pattern: string): void {
  if (json['pattern'] === undefined) json['pattern'] = pattern;
  else json['allOf'] = [...(Array.isArray(json['allOf']) ? json['allOf'] : []), { pattern }];
}
