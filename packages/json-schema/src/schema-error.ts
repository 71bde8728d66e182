export type SchemaErrorCode = 'unsupported-dialect' | 'unresolved-ref' | 'invalid-schema' | 'too-complex';

/** Thrown for a schema that cannot be compiled. An invalid instance never throws: validation returns its issues. */
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
