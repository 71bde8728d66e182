import { addPattern, escapePattern, type Json, patternOf } from './conversion.ts';

interface Check {
  readonly kind: string;
  readonly value?: unknown;
  readonly regex?: unknown;
  readonly inclusive?: boolean;
  readonly version?: string;
}

type Definition = Readonly<Record<string, unknown>>;

const formats: Readonly<Record<string, string>> = {
  email: 'email',
  url: 'uri',
  uuid: 'uuid',
  datetime: 'date-time',
  date: 'date',
  time: 'time',
  duration: 'duration',
};

export function zod3String(definition: Definition): Json {
  const json: Json = { type: 'string' };
  for (const check of (definition['checks'] ?? []) as readonly Check[]) {
    const format = formats[check.kind];
    const text = escapePattern(String(check.value));
    if (format !== undefined) json['format'] = format;
    else if (check.kind === 'min') json['minLength'] = check.value;
    else if (check.kind === 'max') json['maxLength'] = check.value;
    else if (check.kind === 'length') json['minLength'] = json['maxLength'] = check.value;
    else if (check.kind === 'regex') addPattern(json, patternOf(check.regex));
    else if (check.kind === 'startsWith') addPattern(json, `^${text}`);
    else if (check.kind === 'endsWith') addPattern(json, `${text}$`);
    else if (check.kind === 'includes') addPattern(json, text);
    else if (check.kind === 'ip' && check.version !== undefined) json['format'] = `ip${check.version}`;
    else if (check.kind === 'base64') json['contentEncoding'] = 'base64';
  }
  return json;
}

export function zod3Number(definition: Definition): Json {
  const json: Json = { type: 'number' };
  for (const check of (definition['checks'] ?? []) as readonly Check[]) {
    if (check.kind === 'int') json['type'] = 'integer';
    else if (check.kind === 'min') json[check.inclusive === false ? 'exclusiveMinimum' : 'minimum'] = check.value;
    else if (check.kind === 'max') json[check.inclusive === false ? 'exclusiveMaximum' : 'maximum'] = check.value;
    else if (check.kind === 'multipleOf') json['multipleOf'] = check.value;
  }
  return json;
}

/** Size limits of arrays and sets, which zod 3 names differently. */
export function zod3Size(definition: Definition): Json {
  const read = (...names: readonly string[]): unknown =>
    names
      .map((name) => definition[name] as { readonly value: number } | null | undefined)
      .find((limit) => limit !== null && limit !== undefined)?.value;
  const min = read('exactLength', 'minLength', 'minSize');
  const max = read('exactLength', 'maxLength', 'maxSize');
  return { ...(min === undefined ? {} : { minItems: min }), ...(max === undefined ? {} : { maxItems: max }) };
}
