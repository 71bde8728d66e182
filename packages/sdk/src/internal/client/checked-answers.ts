/** The checks that v1 makes around the handlers of a client that answer a server's questions. */
import { getSupportedElicitationModes } from 'crosspoint/client';
import { safeParse, type AnySchema, type SchemaOutput } from '../../server/zod-compat.ts';
import {
  CreateMessageRequestSchema,
  CreateMessageResultSchema,
  CreateMessageResultWithToolsSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
  ErrorCode,
  McpError,
  type ClientCapabilities,
  type Result,
} from '../../types.ts';
import { errorMessage } from '../shared/contain.ts';

type Handler = (request: unknown, extra: unknown) => unknown;
type FormSchema = {
  type?: unknown;
  properties?: { [name: string]: FormSchema & { default?: unknown } };
  anyOf?: FormSchema[];
  oneOf?: FormSchema[];
};

/** The handler with the checks of its method; `undefined` for a method without any. */
export function checkedAnswer(
  method: string,
  handler: Handler,
  capabilities: () => ClientCapabilities,
): ((request: unknown, extra: unknown) => Promise<Result>) | undefined {
  if (method === 'sampling/createMessage')
    return async (request, extra) => {
      const { params } = parsed(CreateMessageRequestSchema, request, 'Invalid sampling request');
      const result = await handler(request, extra);
      if (params.task !== undefined) return createdTask(result);
      const schema = params.tools || params.toolChoice ? CreateMessageResultWithToolsSchema : CreateMessageResultSchema;
      return parsed<AnySchema>(schema, result, 'Invalid sampling result') as Result;
    };
  if (method === 'elicitation/create')
    return async (request, extra) => answerForm(request, () => handler(request, extra), capabilities().elicitation);
  return undefined;
}

async function answerForm(
  request: unknown,
  answer: () => unknown,
  capability: ClientCapabilities['elicitation'],
): Promise<Result> {
  const { params } = parsed(ElicitRequestSchema, request, 'Invalid elicitation request');
  const { supportsFormMode, supportsUrlMode } = getSupportedElicitationModes(capability as object | undefined);
  const isForm = params.mode !== 'url';
  if (isForm ? !supportsFormMode : !supportsUrlMode)
    throw new McpError(
      ErrorCode.InvalidParams,
      `Client does not support ${isForm ? 'form' : 'URL'}-mode elicitation requests`,
    );
  const result = await answer();
  if (params.task !== undefined) return createdTask(result);
  const read = parsed(ElicitResultSchema, result, 'Invalid elicitation result');
  const hasDefaults = isForm && read.action === 'accept' && capability?.form?.applyDefaults === true;
  if (hasDefaults && read.content)
    applyDefaults((params as { requestedSchema?: FormSchema }).requestedSchema, read.content);
  return read;
}

const createdTask = (result: unknown): Result => parsed(CreateTaskResultSchema, result, 'Invalid task creation result');

function parsed<T extends AnySchema>(schema: T, value: unknown, problem: string): SchemaOutput<T> {
  const read = safeParse(schema, value);
  if (read.success) return read.data;
  const { error } = read;
  throw new McpError(ErrorCode.InvalidParams, `${problem}: ${errorMessage(error)}`);
}

/** Fills members of the form that the user left out. */
function applyDefaults(schema: FormSchema | undefined, data: unknown): void {
  if (typeof schema !== 'object' || schema === null || typeof data !== 'object' || data === null) return;
  const values = data as { [name: string]: unknown };
  for (const [name, member] of Object.entries(schema.type === 'object' ? (schema.properties ?? {}) : {})) {
    if (values[name] === undefined && Object.hasOwn(member, 'default')) values[name] = member.default;
    if (values[name] !== undefined) applyDefaults(member, values[name]);
  }
  for (const option of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) applyDefaults(option, data);
}
