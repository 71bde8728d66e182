import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError, isProtocolError } from '../../protocol/errors.ts';
import { describeIssues } from '@crosspoint/json-schema/internal';
import type { ParseResult } from '../../schema/schema.ts';
import { UndeclaredQuestion } from '../asking/questions.ts';
import type { ServerContext } from '../calls/context.ts';
import { isThenable, type HandledRequest } from '../calls/handler.ts';
import { refuseWithoutScopes } from '../callers/needed-scopes.ts';
import { isOffered, type Registry, type ToolEntry } from '../offering/registry.ts';
import { failure, finishToolResult } from './tool-result.ts';

/**
 * Answers `tools/call`. Arguments that break the schema are answered as the revision requires; an error that the tool throws becomes an `isError` result for
 * the model, except a `ProtocolError` other than `UndeclaredQuestion`, which is sent to the client. Synchronous if the tool and its schemas are.
 */
export function callTool(
  registry: Registry,
  { params }: HandledRequest,
  ctx: ServerContext,
): JsonObject | Promise<JsonObject> {
  const { name, arguments: given = NO_ARGUMENTS } = params;
  if (typeof name !== 'string') throw new ProtocolError('invalid-params', 'tools/call needs the name of a tool.');
  const tool = registry.tools.get(name);
  if (tool === undefined || !isOffered(tool, ctx)) throw new ProtocolError('tool-not-found', `Unknown tool: ${name}`);
  refuseWithoutScopes(tool, ctx);
  if (!isJsonObject(given)) throw new ProtocolError('invalid-params', `The arguments of ${name} must be an object.`);
  if (tool.input === undefined) return runTool(tool, given, ctx);
  const parsed = tool.input.parse(given);
  return parsed instanceof Promise
    ? parsed.then((result) => runParsed(tool, result, ctx))
    : runParsed(tool, parsed, ctx);
}

const NO_ARGUMENTS: JsonObject = Object.freeze({});

function runParsed(
  tool: ToolEntry,
  parsed: ParseResult<unknown>,
  ctx: ServerContext,
): JsonObject | Promise<JsonObject> {
  if (parsed.ok) return runTool(tool, parsed.value, ctx);
  const message = `Invalid arguments for tool ${tool.definition.name}: ${describeIssues(parsed.issues)}`;
  if (ctx.revision.argumentErrors === 'error') throw new ProtocolError('invalid-params', message);
  return failure(message);
}

function runTool(tool: ToolEntry, args: unknown, ctx: ServerContext): JsonObject | Promise<JsonObject> {
  let value: unknown;
  try {
    value = tool.run(args, ctx);
  } catch (error) {
    return failed(error);
  }
  return isThenable(value)
    ? Promise.resolve(value).then((result) => finishToolResult(tool, result), failed)
    : finishToolResult(tool, value);
}

function failed(error: unknown): JsonObject {
  if (isProtocolError(error) && !(error instanceof UndeclaredQuestion)) throw error;
  return failure(wordsOf(error));
}

/** The text of an exception for the model: its message. Stack, cause and other members never leave the server. */
function wordsOf(thrown: unknown): string {
  try {
    const words: unknown = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
    return typeof words === 'string' ? words : UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

const UNKNOWN = 'Unknown error';
