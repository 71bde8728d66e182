import type { AnySchema, RawShape } from 'crosspoint/schema';
import type { McpServer, PromptCallback, RegisteredPrompt } from 'crosspoint/server';
import { getParseErrorMessage } from '../../server/zod-compat.ts';
import { ErrorCode, McpError } from '../types/errors.ts';
import { listedArguments, validatorAsV1 } from './listed-schemas.ts';

type Config = Omit<Parameters<McpServer['registerPrompt']>[1], 'argsSchema'> & { argsSchema?: AnySchema | undefined };
type Callback = (...given: unknown[]) => ReturnType<PromptCallback>;

/** The handle of a prompt, with its function under the name of v1. */
export type OldPrompt = RegisteredPrompt & { readonly callback: PromptCallback<RawShape> | PromptCallback };

/** Registers a prompt, and changes it later, so that its arguments are listed and checked as by v1. */
export function registerOldPrompt(
  { argsSchema, ...config }: Config,
  callback: unknown,
  register: (config: Config, callback: Callback) => RegisteredPrompt,
): OldPrompt {
  let [schema, latest] = [argsSchema, callback as Callback];
  const prompt = register({ ...config, argsSchema: listedArguments(schema) }, async (...given) =>
    schema === undefined ? latest(...given) : latest(await parsed(prompt.name, schema, given[0]), given[1]),
  );
  Object.defineProperty(prompt, 'callback', { get: () => latest, enumerable: true });
  const update = prompt.update.bind(prompt);
  prompt.update = ({ argsSchema: other, callback: replaced, ...changes }) => {
    schema = other ?? schema;
    latest = (replaced as Callback | undefined) ?? latest;
    update({ ...changes, argsSchema: listedArguments(other) });
  };
  return prompt as OldPrompt;
}

async function parsed(name: string, schema: AnySchema, args: unknown): Promise<unknown> {
  const result = await validatorAsV1(schema)?.(args);
  if (result === undefined) return args;
  if (result.issues === undefined) return result.value;
  throw new McpError(ErrorCode.InvalidParams, `Invalid arguments for prompt ${name}: ${getParseErrorMessage(result)}`);
}
