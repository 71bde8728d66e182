import { ErrorCode, McpError, type Tool } from '../../types.ts';
import type { JsonSchemaValidator, jsonSchemaValidator } from '../../validation/types.ts';
import { errorMessage } from '../shared/contain.ts';

/** The tools that the server listed last. */
export class KnownTools {
  readonly #engine: jsonSchemaValidator;
  readonly #validators = new Map<string, JsonSchemaValidator<unknown>>();
  readonly #taskSupport = new Map<string, string | undefined>();

  constructor(engine: jsonSchemaValidator) {
    this.#engine = engine;
  }

  learn(tools: readonly Tool[]): void {
    this.#validators.clear();
    this.#taskSupport.clear();
    for (const { name, outputSchema, execution } of tools) {
      if (outputSchema) this.#validators.set(name, this.#engine.getValidator(outputSchema));
      this.#taskSupport.set(name, execution?.taskSupport);
    }
  }

  canBeTask(name: string): boolean {
    const support = this.#taskSupport.get(name);
    return support === 'required' || support === 'optional';
  }

  mustBeTask(name: string): boolean {
    return this.#taskSupport.get(name) === 'required';
  }

  /** The problem with a result, or `undefined` when it fits the output schema of its tool. */
  problemOf(name: string, result: { [key: string]: unknown }): McpError | undefined {
    const validate = this.#validators.get(name);
    if (validate === undefined) return undefined;
    const { structuredContent, isError } = result;
    if (!structuredContent)
      return isError
        ? undefined
        : new McpError(
            ErrorCode.InvalidRequest,
            `Tool ${name} has an output schema but did not return structured content`,
          );
    try {
      const { valid, errorMessage } = validate(structuredContent);
      return valid
        ? undefined
        : new McpError(
            ErrorCode.InvalidParams,
            `Structured content does not match the tool's output schema: ${errorMessage}`,
          );
    } catch (error) {
      if (error instanceof McpError) return error;
      const text = errorMessage(error);
      return new McpError(ErrorCode.InvalidParams, `Failed to validate structured content: ${text}`);
    }
  }
}
