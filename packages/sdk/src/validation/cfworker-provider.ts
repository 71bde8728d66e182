/** `validation/cfworker` of v1. Validates with this library's own engine, which runs on every runtime. */
import type { CompileOptions } from 'crosspoint/schema';
import { ownValidator } from '../internal/validation/own-validator.ts';
import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from './types.ts';

/** Drafts that v1's validator knows. This library reads the draft from `$schema`; 2020-12 without one. */
export type CfWorkerSchemaDraft = '4' | '7' | '2019-09' | '2020-12';

const ALL: CompileOptions = { assertFormats: true };
const FIRST: CompileOptions = { assertFormats: true, limits: { maxIssues: 1 } };

export class CfWorkerJsonSchemaValidator implements jsonSchemaValidator {
  readonly #options: CompileOptions;
  readonly #dialect: string | undefined;

  /** `shortcircuit`: report only the first issue; `true` when absent. */
  constructor({ shortcircuit = true, draft }: { shortcircuit?: boolean; draft?: CfWorkerSchemaDraft } = {}) {
    this.#options = shortcircuit ? FIRST : ALL;
    this.#dialect = draft === undefined ? undefined : DIALECTS[draft];
  }

  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const isNamed = this.#dialect === undefined || schema['$schema'] !== undefined;
    return ownValidator<T>(isNamed ? schema : { ...schema, $schema: this.#dialect }, this.#options);
  }
}

const DIALECTS: Readonly<Record<CfWorkerSchemaDraft, string>> = {
  '4': 'http://json-schema.org/draft-04/schema#',
  '7': 'http://json-schema.org/draft-07/schema#',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
};
