import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { without } from '../reducer.ts';

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

/** The schema of structured content describes an object in this family; another schema is withheld with what it describes. */
export function withObjectOutput(tool: JsonObject): JsonObject {
  const schema = tool['outputSchema'];
  return schema === undefined || (isJsonObject(schema) && schema['type'] === 'object') ? tool : dropOutputSchema(tool);
}
