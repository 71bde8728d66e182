import type { AnySchema, SchemaOutput } from '../../schema/index.ts';
import type { ServerContext } from '../calls/context.ts';
import type { ToolCallback } from './registrations.ts';

/** A tool's function: with its arguments where it has a schema for them, and with what it is told of the request. */
export type BaseToolCallback<
  SendResultT extends object,
  Extra = ServerContext,
  Args extends AnySchema | undefined = undefined,
> = Args extends AnySchema
  ? (args: SchemaOutput<Args>, extra: Extra) => SendResultT | Promise<SendResultT>
  : (extra: Extra) => SendResultT | Promise<SendResultT>;

export type AnyToolHandler<Args extends AnySchema | undefined = undefined> = ToolCallback<Args>;
