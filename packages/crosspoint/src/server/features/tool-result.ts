import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { contentFault, text } from '../../protocol/content.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { withMember } from '../../revisions/reducer.ts';
import { describeIssues } from '@crosspoint/json-schema/internal';
import type { ParseResult } from '../../schema/schema.ts';
import { described } from '../../runtime/described.ts';
import { InputRequired } from '../asking/input-required.ts';
import type { ToolEntry } from '../offering/registry.ts';

/**
 * Checks the result of a tool: the content must be valid, and the structured content must match the output schema. Structured content alone gets its JSON as
 * text, for clients that read only that. An `isError` result needs no structured content.
 */
export function finishToolResult(tool: ToolEntry, value: unknown): JsonObject | Promise<JsonObject> {
  if (value instanceof InputRequired) return value as object as JsonObject;
  const result = withContent(tool, value);
  if (tool.output === undefined || result['isError'] === true) return result;
  if (result['structuredContent'] === undefined) return broken(tool, 'it returned no structuredContent');
  const checked = tool.output.parse(result['structuredContent']);
  return checked instanceof Promise
    ? checked.then((outcome) => conclude(tool, result, outcome))
    : conclude(tool, result, checked);
}

function withContent(tool: ToolEntry, value: unknown): JsonObject {
  const { name } = tool.definition;
  if (!isJsonObject(value)) throw misshapen(tool, described(value));
  const { content, structuredContent } = value;
  if (content === undefined && structuredContent !== undefined)
    return withMember('content', text(JSON.stringify(structuredContent)).content, value);
  if (!Array.isArray(content))
    throw misshapen(tool, content === undefined ? 'an object without content' : 'content that is not a list');
  for (const block of content) {
    const fault = contentFault(block);
    if (fault !== undefined)
      throw new ProtocolError('internal', `The tool ${name} returned content that is not valid: ${fault}.`);
  }
  return value;
}

function misshapen({ definition: { name }, output }: ToolEntry, came: string): ProtocolError {
  const wanted =
    output === undefined
      ? `text('…') or { content: [{ type: 'text', text: '…' }] }`
      : '{ structuredContent: … } with what its outputSchema describes';
  return new ProtocolError('internal', `The tool ${name} returned ${came}. Return ${wanted}.`);
}

function conclude(tool: ToolEntry, result: JsonObject, checked: ParseResult<unknown>): JsonObject {
  return checked.ok ? result : broken(tool, describeIssues(checked.issues));
}

/** The result for an invalid answer of a tool: the work may have been done, so the model is told what is wrong with the answer. */
function broken(tool: ToolEntry, why: string): JsonObject {
  return failure(`The result of ${tool.definition.name} does not match its output schema: ${why}`);
}

/** A result that tells the model what went wrong. */
export function failure(message: string): JsonObject {
  return { ...text(message), isError: true };
}
