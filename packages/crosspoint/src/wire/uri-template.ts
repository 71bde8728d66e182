import { expandTemplate } from './uri-template-expand.ts';
import type { ExpandVariables } from './uri-template-expand.ts';
import { compilePieces, matchPieces } from './uri-template-match.ts';
import type { Pieces } from './uri-template-match.ts';
import { parseTemplate } from './uri-template-syntax.ts';
import type { TemplatePart } from './uri-template-syntax.ts';

export type Variables = Record<string, string | string[]>;

/** A URI template as RFC 6570 defines it (level 4). A malformed template throws a `TypeError` that says where and why. */
export class UriTemplate {
  readonly #template: string;
  readonly #parts: readonly TemplatePart[];
  readonly #spanning: ReadonlySet<string>;
  #pieces: Pieces | undefined;

  constructor(template: string) {
    this.#template = template;
    this.#parts = parseTemplate(template);
    this.#spanning = new Set(
      this.#parts.flatMap((part) =>
        typeof part !== 'string' && (part.operator === '+' || part.operator === '#')
          ? part.variables.map(({ name }) => name)
          : [],
      ),
    );
  }

  /** Whether a text holds something in braces, that is, whether it is meant as a template. */
  static isTemplate(text: string): boolean {
    for (let open = text.indexOf('{'); open !== -1; open = text.indexOf('{', open + 1)) {
      const close = text.indexOf('}', open);
      if (close === -1) return false;
      const inner = text.slice(text.lastIndexOf('{', close) + 1, close);
      if (inner !== '' && !/\s/.test(inner)) return true;
      open = close;
    }
    return false;
  }

  get variableNames(): string[] {
    const names = this.#parts.flatMap((part) =>
      typeof part === 'string' ? [] : part.variables.map(({ name }) => name),
    );
    return [...new Set(names)];
  }

  /** Whether the variable stands in an expression that runs over path separators (`{+name}`, `{#name}`). */
  spansSeparators(name: string): boolean {
    return this.#spanning.has(name);
  }

  expand(variables: ExpandVariables): string {
    return expandTemplate(this.#parts, variables);
  }

  /**
   * The percent-decoded variables when the whole URI fits, otherwise null. `{x}` takes at least one character and stops at `/ ? # &`;
   * `{+x}` runs over them; `{?a,b}`, `{&a}`, `{;a}` and `{#x}` may be absent and their names may come in any order; an exploded variable
   * is always a list. A URI that gives one variable two values does not match.
   */
  match(uri: string): Variables | null {
    this.#pieces ??= compilePieces(this.#parts);
    return matchPieces(this.#pieces, uri);
  }

  toString(): string {
    return this.#template;
  }
}
