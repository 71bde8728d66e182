import type { AnySchema, SchemaOutput } from '../../schema/index.ts';
import type { ServerContext } from '../calls/context.ts';
import type { ToolCallback } from './registrations.ts';

/** The function of a tool: with arguments where the tool has an input schema, and with the context. */
export type BaseToolCallback<
  SendResultT extends object,
  Extra = ServerContext,
  Args extends AnySchema | undefined = undefined,
> = Args extends AnySchema
  ? (args: SchemaOutput<Args>, extra: Extra) => SendResultT | Promise<SendResultT>
  : (extra: Extra) => SendResultT | Promise<SendResultT>;

export type AnyToolHandler<Args extends AnySchema | undefined = undefined> = ToolCallback<Args>;
