import { addPattern, escapePattern, type Json, patternOf } from './conversion.ts';

interface Action {
  readonly kind: string;
  readonly type: string;
  readonly [member: string]: unknown;
}

const formats: Readonly<Record<string, string>> = {
  email: 'email',
  rfc_email: 'email',
  url: 'uri',
  uuid: 'uuid',
  iso_date: 'date',
  iso_timestamp: 'date-time',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
};

const numberLimits: Readonly<Record<string, string>> = {
  min_value: 'minimum',
  max_value: 'maximum',
  gt_value: 'exclusiveMinimum',
  lt_value: 'exclusiveMaximum',
  multiple_of: 'multipleOf',
};

const patterns: Readonly<Record<string, (text: string) => string>> = {
  starts_with: (text) => `^${text}`,
  ends_with: (text) => `${text}$`,
  includes: (text) => text,
};

/** Adds the constraint or metadata of an action. A check that JSON Schema cannot express adds nothing. */
export function applyValibotAction(json: Json, action: Action): Json {
  const { type, requirement } = action;
  const next = { ...json };
  const isArray = json['type'] === 'array';
  if (type === 'title' || type === 'description') next[type] = action[type];
  else if (type === 'metadata') Object.assign(next, describing(action['metadata']));
  else if (type === 'integer' || type === 'safe_integer') next['type'] = 'integer';
  else if (type === 'regex') addPattern(next, patternOf(requirement));
  else if (type === 'min_length') next[isArray ? 'minItems' : 'minLength'] = requirement;
  else if (type === 'max_length') next[isArray ? 'maxItems' : 'maxLength'] = requirement;
  else if (type === 'length')
    next[isArray ? 'minItems' : 'minLength'] = next[isArray ? 'maxItems' : 'maxLength'] = requirement;
  else if (type === 'non_empty') next[isArray ? 'minItems' : 'minLength'] = 1;
  else if (Object.hasOwn(formats, type)) next['format'] = formats[type];
  else if (Object.hasOwn(numberLimits, type) && typeof requirement === 'number')
    next[numberLimits[type] ?? ''] = requirement;
  else if (Object.hasOwn(patterns, type) && json['type'] === 'string') {
    addPattern(next, patterns[type]?.(escapePattern(String(requirement))));
  }
  return next;
}

function describing(metadata: unknown): Json {
  if (typeof metadata !== 'object' || metadata === null) return {};
  const known = Object.entries(metadata).filter(([name]) => ['title', 'description', 'examples'].includes(name));
  return Object.fromEntries(known);
}
