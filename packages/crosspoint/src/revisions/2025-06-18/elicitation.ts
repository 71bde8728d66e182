import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { without } from '../reducer.ts';

const dropDefault = without('default');
const dropOptions = without('oneOf', 'default');
const dropDialect = without('$schema');
const dropUnknown = without('mode', 'task');

/** The params of a form in this revision; `undefined` for anything but a form, and for a form with a field that this revision lacks. */
export function writeForm(params: JsonObject): JsonObject | undefined {
  const schema = params['requestedSchema'];
  if (params['mode'] === 'url' || !isJsonObject(schema)) return undefined;
  const fields = isJsonObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const properties: [string, JsonObject][] = [];
  for (const [name, field] of fields) {
    const written = isJsonObject(field) ? writeField(field) : undefined;
    if (written === undefined) return undefined;
    properties.push([name, written]);
  }
  return {
    ...dropUnknown(params),
    requestedSchema: { ...dropDialect(schema), properties: Object.fromEntries(properties) },
  };
}

/** Only a boolean could have a default, and a choice was one of several strings with names beside them. */
function writeField(field: JsonObject): JsonObject | undefined {
  if (field['type'] === 'boolean') return field;
  if (field['type'] === 'array') return undefined;
  return 'oneOf' in field ? writeChoice(field) : dropDefault(field);
}

function writeChoice(field: JsonObject): JsonObject | undefined {
  const { oneOf } = field;
  if (!Array.isArray(oneOf)) return undefined;
  const values: string[] = [];
  const names: string[] = [];
  for (const option of oneOf as unknown[]) {
    if (!isJsonObject(option) || typeof option['const'] !== 'string') return undefined;
    values.push(option['const']);
    names.push(typeof option['title'] === 'string' ? option['title'] : option['const']);
  }
  return { ...dropOptions(field), enum: values, enumNames: names };
}
