import { TooComplex } from './budget.ts';
import type { Check, Run } from './compiler/check.ts';
import { DocumentCompiler } from './compiler/compile-document.ts';
import { isJsonSchema, type JsonSchema } from './json-schema.ts';
import { SchemaError } from './schema-error.ts';
import { defaultLimits, type SchemaLimits } from './schema-limits.ts';
import { SchemaRegistry } from './documents/schema-registry.ts';
import { rootUri } from './formats/uri-reference.ts';
import type { ValidationIssue, ValidationResult } from './validation-issue.ts';

export interface CompileOptions {
  /** Further documents that references and `$schema` may name, by absolute address. Nothing is ever fetched. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
  /** Check `format` for the formats known here. By default it is an annotation, as 2020-12 has it. */
  readonly assertFormats?: boolean;
  readonly limits?: Partial<SchemaLimits>;
}

export interface CompiledSchema {
  readonly schema: JsonSchema;
  validate(value: unknown): ValidationResult;
  is(value: unknown): boolean;
}

const defaultOptions: CompileOptions = {};
const cache = new WeakMap<CompileOptions, WeakMap<object, CompiledSchema>>();
const success: ValidationResult = { ok: true };

/**
 * Compiles a schema into a validator. Compilations are remembered per schema object and options object, so neither may
 * be changed afterwards. Throws `SchemaError`.
 */
export function compileSchema(schema: JsonSchema, options: CompileOptions = defaultOptions): CompiledSchema {
  if (!isJsonSchema(schema)) throw new SchemaError('invalid-schema', 'a JSON Schema is an object or a boolean');
  if (typeof schema === 'boolean') return compileFresh(schema, options);
  let known = cache.get(options);
  if (known === undefined) cache.set(options, (known = new WeakMap()));
  let compiled = known.get(schema);
  if (compiled === undefined) known.set(schema, (compiled = compileFresh(schema, options)));
  return compiled;
}

function compileFresh(schema: JsonSchema, options: CompileOptions): CompiledSchema {
  const limits = { ...defaultLimits, ...options.limits };
  try {
    return createValidator(schema, compileCheck(schema, options, limits), limits);
  } catch (error) {
    // Long chains of references nest calls as deeply as a deep schema does.
    if (error instanceof TooComplex) throw new SchemaError('too-complex', error.message, { cause: error });
    if (error instanceof RangeError)
      throw new SchemaError('too-complex', 'the schema is nested too deeply', { cause: error });
    throw error;
  }
}

function compileCheck(schema: JsonSchema, options: CompileOptions, limits: SchemaLimits): Check {
  const registry = new SchemaRegistry(options.schemas ?? {}, limits);
  const located = { schema, resource: registry.add(rootUri, schema) };
  const assertsFormat = options.assertFormats ?? false;
  const compiler = new DocumentCompiler(registry, { assertsFormat, tracksScope: false });
  const check = compiler.compile(located);
  if (!compiler.needsScope()) return check;
  return new DocumentCompiler(registry, { assertsFormat, tracksScope: true }).compile(located);
}

function createValidator(schema: JsonSchema, check: Check, limits: SchemaLimits): CompiledSchema {
  const { maxSteps, maxDepth, maxIssues } = limits;
  // One state serves all validations, since they are synchronous; a getter of the value that validates again gets its own.
  const shared: Run = { steps: 0, depth: 0, issues: undefined, maxIssues, path: [], scope: [] };
  let busy = false;
  const execute = (value: unknown, issues: ValidationIssue[] | undefined): boolean => {
    const run = busy ? { ...shared, path: [], scope: [] } : shared;
    const outer = busy;
    busy = true;
    run.steps = maxSteps;
    run.depth = maxDepth;
    run.issues = issues;
    // Non-empty only when the last run was cut short. The test comes first because assigning a length is slow.
    if (run.path.length > 0) run.path.length = 0;
    if (run.scope.length > 0) run.scope.length = 0;
    try {
      return check(value, run, undefined);
    } finally {
      busy = outer;
    }
  };
  return {
    schema,
    is: (value) => {
      try {
        return execute(value, undefined);
      } catch (error) {
        excess(error);
        return false;
      }
    },
    validate: (value) => {
      const issues: ValidationIssue[] = [];
      try {
        if (execute(value, undefined)) return success;
        execute(value, issues);
        return { ok: false, issues };
      } catch (error) {
        return {
          ok: false,
          issues: [...(issues ?? []), { path: [], message: `too complex: ${excess(error)}` }].slice(-maxIssues),
        };
      }
    },
  };
}

/** The reason when a limit was hit, the engine's stack included; any other error is thrown on. */
function excess(error: unknown): string {
  if (error instanceof TooComplex) return error.message;
  if (error instanceof RangeError) return 'the value or the schema is nested too deeply';
  throw error;
}
