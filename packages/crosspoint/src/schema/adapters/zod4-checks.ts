import { addPattern, type Json, patternOf } from './conversion.ts';

type Definition = Readonly<Record<string, unknown>>;

const formats: Readonly<Record<string, string>> = {
  email: 'email',
  url: 'uri',
  uuid: 'uuid',
  guid: 'uuid',
  datetime: 'date-time',
  date: 'date',
  time: 'time',
  duration: 'duration',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
};

/** Adds the constraints of a schema's checks. A schema such as `z.email()` is itself the first of them. */
export function zod4Checks(json: Json, definition: Definition): Json {
  const next = { ...json };
  if (definition['check'] !== undefined) applyCheck(next, definition);
  const checks = (definition['checks'] ?? []) as readonly { readonly _zod: { readonly def: Definition } }[];
  for (const check of checks) applyCheck(next, check._zod.def);
  return next;
}

function applyCheck(json: Json, check: Definition): void {
  const isArray = json['type'] === 'array';
  const limit = check['inclusive'] === false ? 'exclusiveM' : 'm';
  switch (check['check']) {
    case 'greater_than':
      if (typeof check['value'] === 'number') json[`${limit}inimum`] = check['value'];
      break;
    case 'less_than':
      if (typeof check['value'] === 'number') json[`${limit}aximum`] = check['value'];
      break;
    case 'multiple_of':
      json['multipleOf'] = check['value'];
      break;
    case 'number_format':
      if (String(check['format']).includes('int')) json['type'] = 'integer';
      break;
    case 'min_length':
      json[isArray ? 'minItems' : 'minLength'] = check['minimum'];
      break;
    case 'max_length':
      json[isArray ? 'maxItems' : 'maxLength'] = check['maximum'];
      break;
    case 'length_equals':
      json[isArray ? 'minItems' : 'minLength'] = json[isArray ? 'maxItems' : 'maxLength'] = check['length'];
      break;
    case 'string_format':
      applyFormat(json, check);
      break;
    default:
  }
}

/** A format that JSON Schema knows is named; any other is its pattern. */
function applyFormat(json: Json, check: Definition): void {
  const name = String(check['format']);
  if (Object.hasOwn(formats, name)) json['format'] = formats[name];
  else addPattern(json, patternOf(check['pattern']));
}
