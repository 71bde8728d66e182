import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { TransportError } from '../../protocol/errors.ts';
import type { Tool } from '../../protocol/tools.ts';
import { asError, atOnce } from '../../runtime/guard.ts';
import { compileSchema, type CompiledSchema } from '@crosspoint/json-schema';
import type { JsonSchemaValidatorProvider } from '../../schema/from-json-schema.ts';

/**
 * Reaction to a result that does not match its output schema. `error`: the call rejects, with the result in the error. `warn`: the result
 * is returned and the mismatch reported. `off`: no check.
 */
export type OutputValidation = 'error' | 'warn' | 'off';

/** Checks a result against the schema that the tool had when it was called. Throws only in `error` mode. */
export type OutputCheck = (result: JsonObject) => void;

const NO_CHECK: OutputCheck = () => {};

/** Most tools that are kept from pages of lists, which a server can go on with for ever. */
const MOST_KEPT = 10_000;

/** Checks structured results against the output schemas of the tools as last listed. */
export class OutputChecks {
  readonly #mode: OutputValidation;
  readonly #onproblem: (problem: Error) => void;
  readonly #validator: JsonSchemaValidatorProvider | undefined;
  readonly #warned = new Set<string>();
  readonly #checks = new WeakMap<Tool, OutputCheck>();
  #tools: ReadonlyMap<string, Tool> = new Map();
  #hasLearned = false;

  /** `validator`: replaces the built-in validator. */
  constructor(
    mode: OutputValidation,
    onproblem: (problem: Error) => void,
    validator: JsonSchemaValidatorProvider | undefined,
  ) {
    this.#mode = mode;
    this.#validator = validator;
    this.#onproblem = onproblem;
  }

  /** Stores listed tools. `whole`: the list is complete, so tools missing from it are removed. */
  learn(tools: readonly Tool[], whole: boolean): void {
    const listed = tools.filter((tool) => isJsonObject(tool)).map((tool) => [tool.name, tool] as const);
    this.#tools = new Map(whole ? listed : [...this.#tools, ...listed].slice(-MOST_KEPT));
    this.#hasLearned ||= whole;
  }

  forget(): void {
    this.#tools = new Map();
    this.#hasLearned = false;
    this.#warned.clear();
  }

  /** Whether tools have to be listed before the first call: a result can be refused only by a schema that is known. */
  get needsTools(): boolean {
    return this.#mode === 'error' && !this.#hasLearned;
  }

  toolNamed(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** The check for a tool's present output schema. */
  checkFor(name: string, tool: Tool | undefined): OutputCheck {
    const schema = tool?.outputSchema;
    if (this.#mode === 'off' || tool === undefined || !isJsonObject(schema)) return NO_CHECK;
    let check = this.#checks.get(tool);
    if (check === undefined) this.#checks.set(tool, (check = this.#makeCheck(name, schema)));
    return check;
  }

  #makeCheck(name: string, schema: JsonObject): OutputCheck {
    let compiled: Pick<CompiledSchema, 'validate'> | undefined;
    return (result) => {
      // The schema describes successful results; `isError` absent means success.
      if (result['isError'] === true) return;
      compiled ??= this.#compile(name, schema);
      if (compiled !== undefined) this.#check(name, compiled, result);
    };
  }

  #compile(name: string, schema: JsonObject): Pick<CompiledSchema, 'validate'> | undefined {
    try {
      return this.#validator === undefined ? compileSchema(schema) : foreign(this.#validator, schema);
    } catch (error) {
      const message = `The output schema of the tool "${name}" cannot be used, so its results are not checked: ${asError(error).message}`;
      if (!this.#warned.has(name))
        this.#onproblem(new TransportError('invalid-result', message, { tool: name }, { cause: error }));
      this.#warned.add(name);
      return undefined;
    }
  }

  #check(name: string, compiled: Pick<CompiledSchema, 'validate'>, result: JsonObject): void {
    const fault = faultIn(compiled, result);
    if (fault === undefined) return;
    const problem = new TransportError(
      'invalid-result',
      `The result of the tool "${name}" breaks its output schema: ${fault.message}`,
      { tool: name, result, issues: fault.issues },
    );
    if (this.#mode === 'error') throw problem;
    this.#onproblem(problem);
  }
}

function foreign(validator: JsonSchemaValidatorProvider, schema: JsonObject): Pick<CompiledSchema, 'validate'> {
  const check = atOnce(validator.getValidator(schema), 'getValidator');
  return {
    validate: (value) => {
      const result = check(value);
      if (result.valid) return { ok: true };
      return { ok: false, issues: [{ path: [], message: result.errorMessage }] };
    },
  };
}

function faultIn(
  compiled: Pick<CompiledSchema, 'validate'>,
  result: JsonObject,
): { message: string; issues: readonly unknown[] } | undefined {
  if (!('structuredContent' in result)) return { message: 'it has no structuredContent.', issues: [] };
  const checked = compiled.validate(result['structuredContent']);
  if (checked.ok) return undefined;
  return { message: checked.issues.map((issue) => issue.message).join('; '), issues: checked.issues };
}
