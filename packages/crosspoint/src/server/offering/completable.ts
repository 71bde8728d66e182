import type { SchemaInput, StandardTyped } from '../../schema/index.ts';
import type { ServerContext } from '../calls/context.ts';

/** Suggests values for an argument. `context.arguments` holds the values chosen so far, where the client sends them; `ctx` is the request. */
export type Completer = (
  value: string,
  context: { arguments?: Record<string, string> } | undefined,
  ctx: ServerContext,
) => readonly unknown[] | Promise<readonly unknown[]>;

/** Suggests values for a variable of a resource template. */
export type CompleteResourceTemplateCallback = (
  value: string,
  context?: { arguments?: Record<string, string> },
) => string[] | Promise<string[]>;

/** Suggests values of a schema. */
export type CompleteCallback<T extends StandardTyped = StandardTyped> = (
  value: SchemaInput<T>,
  context?: { arguments?: Record<string, string> },
) => SchemaInput<T>[] | Promise<SchemaInput<T>[]>;

/** A schema marked by `completable`. */
export type CompletableSchema<T extends object = object> = T;

const COMPLETER = Symbol.for('crosspoint.completer');

type Marked = { [COMPLETER]?: Completer };

/**
 * Lets clients complete an argument of a prompt. `complete` gets the text so far and returns up to 100 suggestions. Returns the schema itself, marked.
 *
 * ```ts
 * const LANGUAGES = ['python', 'rust', 'typescript'];
 * const argsSchema = { language: completable(z.string(), (value) => LANGUAGES.filter((one) => one.startsWith(value))) };
 * server.registerPrompt('review', { argsSchema }, ({ language }) => …);
 * ```
 */
export function completable<T extends object>(
  schema: T,
  complete: (
    value: NonNullable<SchemaInput<T>>,
    context?: { arguments?: Record<string, string> },
  ) => readonly unknown[] | Promise<readonly unknown[]>,
): T {
  Object.defineProperty(schema, COMPLETER, { value: complete, configurable: true });
  return schema;
}

/** The completer of an argument's schema, also through wrappers such as `.optional()`. */
export function completerOf(schema: unknown): Completer | undefined {
  let current = schema;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth++) {
    const found = (current as Marked)[COMPLETER];
    if (found) return found;
    current = innerOf(current);
  }
  return undefined;
}

export function isCompletable(schema: unknown): boolean {
  return completerOf(schema) !== undefined;
}

function innerOf(schema: object): unknown {
  const { def, _def } = schema as { def?: { innerType?: unknown }; _def?: { innerType?: unknown } };
  return def?.innerType ?? _def?.innerType;
}

/** The completers of an object schema's members: of a plain shape, or of a schema with one. */
export function completersOf(schema: object): ReadonlyMap<string, Completer> {
  const { shape, _def } = schema as { shape?: unknown; _def?: { shape?: unknown } };
  const given = shape ?? _def?.shape ?? schema;
  const members = typeof given === 'function' ? (given as () => unknown)() : given;
  const found = new Map<string, Completer>();
  for (const [name, member] of Object.entries(members as object)) {
    const completer = completerOf(member);
    if (completer) found.set(name, completer);
  }
  return found;
}
