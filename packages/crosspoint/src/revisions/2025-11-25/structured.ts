import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { inField, inSequence, without, type Reducer } from '../reducer.ts';

const dropStructure = without('structuredContent');
const dropOutputSchema = without('outputSchema');

/** Structured content is an object in this family; another value is withheld. */
export function withObjectStructure(result: JsonObject): JsonObject {
  const value = result['structuredContent'];
  return value === undefined || isJsonObject(value) ? result : withoutStructure(result);
}

/** Withholds structured content. Where it was all there is, its JSON becomes a text, so that the answer is not lost. */
export function withoutStructure(result: JsonObject): JsonObject {
  const { structuredContent, content } = result;
  const reduced = dropStructure(result);
  if (structuredContent === undefined || (Array.isArray(content) && content.length > 0)) return reduced;
  return { ...reduced, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
}

/** A tool whose schemas describe objects, member by member with objects, as this family has them. */
export const withObjectSchemas: Reducer = inSequence(
  withObjectOutput,
  inField('inputSchema', withObjectProperties),
  inField('outputSchema', withObjectProperties),
);

/** An output schema of anything else is withheld, like the content it describes. */
function withObjectOutput(tool: JsonObject): JsonObject {
  const schema = tool['outputSchema'];
  return schema === undefined || (isJsonObject(schema) && schema['type'] === 'object') ? tool : dropOutputSchema(tool);
}

/** `true` and `false` are schemas too, but clients of this family refuse the whole list when they meet them here. */
function withObjectProperties(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties) || Object.values(properties).every(isJsonObject)) return schema;
  const written = Object.entries(properties).map(([name, value]) => [
    name,
    isJsonObject(value) ? value : asObject(value),
  ]);
  return { ...schema, properties: Object.fromEntries(written) as JsonObject };
}

function asObject(schema: unknown): JsonObject {
  return schema === false ? { not: {} } : {};
}
