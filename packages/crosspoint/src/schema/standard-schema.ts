/** The Standard Schema interfaces (version 1), as far as they are used here. Written out so that no package is needed for types. */
export interface StandardTyped<In = unknown, Out = In> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: In; readonly output: Out } | undefined;
  };
}

export interface StandardSchema<In = unknown, Out = In> extends StandardTyped<In, Out> {
  readonly '~standard': StandardTyped<In, Out>['~standard'] & {
    readonly validate: (value: unknown) => StandardResult<Out> | Promise<StandardResult<Out>>;
  };
}

/** A schema whose validation never returns a promise. */
export interface StandardSchemaSync<In = unknown, Out = In> extends StandardTyped<In, Out> {
  readonly '~standard': StandardTyped<In, Out>['~standard'] & {
    readonly validate: (value: unknown) => StandardResult<Out>;
  };
}

export interface StandardJsonSchema<In = unknown, Out = In> extends StandardTyped<In, Out> {
  readonly '~standard': StandardTyped<In, Out>['~standard'] & {
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
      readonly output: (options: { readonly target: string }) => Record<string, unknown>;
    };
  };
}

export type StandardResult<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Whether a value is a Standard Schema. Schemas of some libraries are functions. */
export function isStandardTyped(value: unknown): value is StandardTyped {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || !('~standard' in value))
    return false;
  const standard = value['~standard'];
  return typeof standard === 'object' && standard !== null && 'vendor' in standard;
}

export function canValidate(schema: StandardTyped): schema is StandardSchema {
  return 'validate' in schema['~standard'];
}

export function knowsJsonSchema(schema: StandardTyped): schema is StandardJsonSchema {
  return 'jsonSchema' in schema['~standard'] && typeof schema['~standard'].jsonSchema === 'object';
}
