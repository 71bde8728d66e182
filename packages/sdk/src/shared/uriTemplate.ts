/** `shared/uriTemplate.js` of v1. `UriTemplate` of `crosspoint/server` implements all of RFC 6570. */
import { UriTemplate as NewUriTemplate, type Variables } from 'crosspoint/server';
import { expandParts } from '../internal/uri-template/expand.ts';
import { matchSteps, stepsOf } from '../internal/uri-template/match.ts';
import { isQuery, parseTemplate, type Part } from '../internal/uri-template/syntax.ts';

export type { Variables };

/** A URI template that is read, filled in and matched as v1 does. A URI gives its variables as they are written there, encoded. */
export class UriTemplate extends NewUriTemplate {
  readonly #template: string;
  readonly #parts: readonly Part[];
  #steps: ReturnType<typeof stepsOf> | undefined;

  constructor(template: string) {
    // The base class reads templates by another syntax; nothing of what it reads is used.
    super('');
    this.#template = template;
    this.#parts = parseTemplate(template);
  }

  override get variableNames(): string[] {
    return this.#parts.flatMap((part) => (typeof part === 'string' ? [] : part.names));
  }

  override spansSeparators(name: string): boolean {
    return this.#parts.some(
      (part) =>
        typeof part !== 'string' && (isQuery(part) || '+#'.includes(part.operator || ' ')) && part.names.includes(name),
    );
  }

  override expand(variables: Readonly<Record<string, unknown>>): string {
    return expandParts(this.#parts, variables);
  }

  override match(uri: string): Variables | null {
    this.#steps ??= stepsOf(this.#parts);
    return matchSteps(this.#steps, uri);
  }

  override toString(): string {
    return this.#template;
  }
}
