import type { JsonObject } from 'crosspoint';
import type { AnySchema, RawShape } from 'crosspoint/schema';
import {
  InputRequired,
  type RegisteredTool,
  type ServerContext,
  type ToolCallback,
  type ToolConfig,
} from 'crosspoint/server';
import { getParseErrorMessage } from '../../server/zod-compat.ts';
import { validateAndWarnToolName } from '../../shared/toolNameValidation.ts';
import { ErrorCode, McpError } from '../types/errors.ts';
import { listedAsV1, listedOutput, NO_PARAMETERS, requireSchema, validatorAsV1 } from './listed-schemas.ts';
import { toolErrorAsV1 } from './old-handler-errors.ts';

type Config = ToolConfig<AnySchema | undefined, AnySchema | undefined>;
type Result = ReturnType<ToolCallback>;
type Callback = (args: unknown, ctx: ServerContext) => Result;

/** The handle of a tool, with its function under the name of v1. */
export type OldTool = RegisteredTool & { readonly handler: ToolCallback<RawShape> | ToolCallback };

interface Parts {
  readonly inputSchema: AnySchema | undefined;
  readonly outputSchema: AnySchema | undefined;
  readonly callback: Callback | ToolCallback;
}

/** v1 says of every tool that it is not a task, unless it is registered as one. */
const NO_TASK = { taskSupport: 'forbidden' } as const;

/** Registers a tool, and changes it later, so that it is listed and called as v1 does. */
export function registerOldTool(
  { inputSchema, outputSchema, ...config }: Config,
  callback: unknown,
  register: (config: Config, callback: Callback) => RegisteredTool,
): OldTool {
  let parts: Parts = {
    inputSchema: requireSchema(inputSchema),
    outputSchema: requireSchema(outputSchema),
    callback: callback as Callback,
  };
  const isTask = config.task !== undefined || config.execution !== undefined;
  const tool = register(
    {
      ...config,
      ...(!isTask && { execution: NO_TASK }),
      inputSchema: inputSchema === undefined ? NO_PARAMETERS : listedAsV1(inputSchema),
      outputSchema: listedOutput(outputSchema),
    },
    (args, ctx) => call(tool.name, parts, args, ctx),
  );
  Object.defineProperty(tool, 'handler', { get: () => parts.callback, enumerable: true });
  const update = tool.update.bind(tool);
  tool.update = ({ paramsSchema, outputSchema: promised, callback: replaced, ...changes }) => {
    if (typeof changes.name === 'string') validateAndWarnToolName(changes.name);
    parts = {
      inputSchema: requireSchema(paramsSchema) ?? parts.inputSchema,
      outputSchema: requireSchema(promised) ?? parts.outputSchema,
      callback: (replaced as Callback | undefined) ?? parts.callback,
    };
    update({ ...changes, paramsSchema: listedAsV1(paramsSchema), outputSchema: listedOutput(promised) });
  };
  return tool as OldTool;
}

/** Holds the arguments and the result against the schemas. Every failure is an error whose message the model is told, as in v1. */
async function call(name: string, parts: Parts, args: unknown, ctx: ServerContext): Promise<Awaited<Result>> {
  try {
    const { inputSchema, outputSchema, callback } = parts;
    const result =
      inputSchema === undefined
        ? await (callback as ToolCallback)(ctx)
        : await (callback as Callback)(await parsed(name, inputSchema, args), ctx);
    if (outputSchema !== undefined) await checkOutput(name, outputSchema, result as object as JsonObject);
    return isEmpty(result) ? { ...(result as object), content: [] } : result;
  } catch (error) {
    throw toolErrorAsV1(error, ctx);
  }
}

/** A result that says nothing. */
const isEmpty = (result: unknown): boolean =>
  typeof result === 'object' &&
  result !== null &&
  !(result instanceof InputRequired || 'content' in result || 'structuredContent' in result);

async function parsed(name: string, schema: AnySchema, args: unknown): Promise<unknown> {
  const result = await validatorAsV1(schema)?.(args);
  if (result === undefined) return args;
  if (result.issues === undefined) return result.value;
  throw invalid(`Input validation error: Invalid arguments for tool ${name}: ${getParseErrorMessage(result)}`);
}

async function checkOutput(name: string, schema: AnySchema, result: JsonObject): Promise<void> {
  if (result?.['content'] === undefined || result['isError'] === true) return;
  if (!result['structuredContent'])
    throw invalid(`Output validation error: Tool ${name} has an output schema but no structured content was provided`);
  const checked = await validatorAsV1(schema)?.(result['structuredContent']);
  if (checked?.issues !== undefined)
    throw invalid(
      `Output validation error: Invalid structured content for tool ${name}: ${getParseErrorMessage(checked)}`,
    );
}

const invalid = (message: string): McpError => new McpError(ErrorCode.InvalidParams, message);
