import type { AnySchema } from 'crosspoint/schema';
import type { RegisteredTool, ServerContext, ToolCallback, ToolConfig } from 'crosspoint/server';
import { listedAsV1, NO_PARAMETERS } from './listed-schemas.ts';

type Config = ToolConfig<AnySchema | undefined, AnySchema | undefined>;
type Callback = (args: unknown, ctx: ServerContext) => ReturnType<ToolCallback>;

/** v1 says of every tool that it is not a task, unless it is registered as one. */
const NO_TASK = { taskSupport: 'forbidden' } as const;

/** Registers a tool, and changes it later, so that it is listed as v1 lists it. */
export function registerOldTool(
  { inputSchema, outputSchema, ...config }: Config,
  callback: unknown,
  register: (config: Config, callback: Callback) => RegisteredTool,
): RegisteredTool {
  let latest = callback as Callback;
  let takesArguments = inputSchema !== undefined;
  const run = (): Callback => (takesArguments ? latest : (_none, ctx) => (latest as unknown as ToolCallback)(ctx));
  const isTask = config.task !== undefined || config.execution !== undefined;
  const tool = register(
    {
      ...config,
      ...(!isTask && { execution: NO_TASK }),
      inputSchema: takesArguments ? listedAsV1(inputSchema) : NO_PARAMETERS,
      outputSchema: listedAsV1(outputSchema),
    },
    run(),
  );
  const update = tool.update.bind(tool);
  tool.update = ({ paramsSchema, outputSchema: promised, callback: replaced, ...changes }) => {
    takesArguments ||= paramsSchema !== undefined;
    latest = (replaced as Callback | undefined) ?? latest;
    update({ ...changes, paramsSchema: listedAsV1(paramsSchema), outputSchema: listedAsV1(promised), callback: run() });
  };
  return tool;
}
