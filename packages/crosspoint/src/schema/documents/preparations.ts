import type { Schema } from '../schema.ts';

const preparations = new WeakMap<object, () => Schema>();

/** Says how a schema of `fromJsonSchema` is prepared, so that `prepareSchema` itself needs no validator. */
export function definePreparation(schema: object, prepare: () => Schema): void {
  preparations.set(schema, prepare);
}

export function definedPreparation(schema: object): (() => Schema) | undefined {
  return preparations.get(schema);
}
