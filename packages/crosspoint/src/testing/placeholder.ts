/** Stands in an expectation for a value that is not known beforehand. */
export class Placeholder {
  readonly title: string;
  readonly #fits: (value: unknown) => boolean;
  /** Two placeholders of one name stand for the same value. */
  readonly binding: string | undefined;

  constructor(title: string, fits: (value: unknown) => boolean, binding?: string) {
    this.title = title;
    this.#fits = fits;
    this.binding = binding;
  }

  fits(value: unknown): boolean {
    return this.#fits(value);
  }

  toJSON(): string {
    return `<${this.title}>`;
  }
}

const ofType = (type: string): Placeholder => new Placeholder(type, (value) => typeof value === type);

/** Placeholders for values that vary. */
export const some: {
  readonly value: Placeholder;
  readonly string: Placeholder;
  readonly number: Placeholder;
  readonly boolean: Placeholder;
  readonly object: Placeholder;
  readonly array: Placeholder;
  /** A text in which the pattern matches. */
  matching(pattern: RegExp): Placeholder;
  /** Any value, equal wherever this name is used: the id of a request and of its answer, for example. */
  same(name: string): Placeholder;
} = {
  value: /* @__PURE__ */ new Placeholder('value', (value) => value !== undefined),
  string: /* @__PURE__ */ ofType('string'),
  number: /* @__PURE__ */ ofType('number'),
  boolean: /* @__PURE__ */ ofType('boolean'),
  object: /* @__PURE__ */ new Placeholder(
    'object',
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  ),
  array: /* @__PURE__ */ new Placeholder('array', (value) => Array.isArray(value)),
  matching: (pattern) =>
    new Placeholder(
      `text like ${String(pattern)}`,
      (value) => typeof value === 'string' && value.search(pattern) !== -1,
    ),
  same: (name) => new Placeholder(`same ${name}`, (value) => value !== undefined, name),
};
