import { completable as mark, isCompletable } from 'crosspoint/server';
import type { SchemaInput, StandardTyped } from 'crosspoint/schema';

export const COMPLETABLE_SYMBOL: unique symbol = Symbol.for('mcp.completable') as never;

export type CompleteCallback<T extends StandardTyped = StandardTyped> = (
  value: SchemaInput<T>,
  context?: { arguments?: Record<string, string> },
) => SchemaInput<T>[] | Promise<SchemaInput<T>[]>;

export type CompletableMeta<T extends StandardTyped = StandardTyped> = { complete: CompleteCallback<T> };

export type CompletableSchema<T extends StandardTyped> = T & { [COMPLETABLE_SYMBOL]: CompletableMeta<T> };

/** Name of the zod kind that completable schemas had in the oldest versions. */
export type McpZodTypeKind = 'McpCompletable';
export const McpZodTypeKind: { readonly Completable: 'McpCompletable' } = Object.freeze({
  Completable: 'McpCompletable',
});

export interface CompletableDef<T extends StandardTyped = StandardTyped> {
  type: T;
  complete: CompleteCallback<T>;
  typeName: McpZodTypeKind;
}

/** Lets clients complete an argument of a prompt. Returns the same schema, marked. */
export function completable<T extends StandardTyped>(schema: T, complete: CompleteCallback<T>): CompletableSchema<T> {
  Object.defineProperty(schema, COMPLETABLE_SYMBOL, { value: { complete }, configurable: true });
  return mark(schema, complete) as CompletableSchema<T>;
}

export function getCompleter<T extends StandardTyped>(schema: T): CompleteCallback<T> | undefined {
  return (schema as { [COMPLETABLE_SYMBOL]?: CompletableMeta<T> })[COMPLETABLE_SYMBOL]?.complete;
}

/** Returns the schema: a completable schema is the schema itself. */
export function unwrapCompletable<T extends StandardTyped>(schema: CompletableSchema<T>): T {
  return schema;
}

export { isCompletable };
