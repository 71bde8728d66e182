export type SchemaErrorCode = 'unsupported-dialect' | 'unresolved-ref' | 'invalid-schema' | 'too-complex';

/** A schema that cannot be compiled. Thrown at compile time only: what an instance does wrong is a value, not an exception. */
export class SchemaError extends Error {
  readonly code: SchemaErrorCode;

  constructor(code: SchemaErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SchemaError';
    this.code = code;
  }
}

/** The schema names a dialect that neither this library nor the caller's `schemas` know. */
export class UnsupportedDialectError extends SchemaError {
  readonly dialect: string;

  constructor(dialect: string) {
    super(
      'unsupported-dialect',
      `Unsupported JSON Schema dialect "${dialect}". Supported: draft-07, 2019-09 and 2020-12, or a meta-schema given in \`schemas\`.`,
    );
    this.name = 'UnsupportedDialectError';
    this.dialect = dialect;
  }
}
