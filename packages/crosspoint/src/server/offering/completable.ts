import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { MAX_COMPLETION_VALUES } from '../../protocol/completion.ts';
import { ProtocolError } from '../../protocol/errors.ts';
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

const SUGGEST = Symbol.for('crosspoint.suggest');

type Marked = { [SUGGEST]?: Suggest };

/** Makes the result of `completion/complete` for a value; `context` as the client sends it. */
export type Suggest = (value: string, context: unknown, ctx: ServerContext, ranks: boolean) => Promise<JsonObject>;

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
  Object.defineProperty(schema, SUGGEST, { value: suggestBy(complete as unknown as Completer), configurable: true });
  return schema;
}

/**
 * The suggestions of a completer: best match first unless the server leaves their order alone, a hundred at most. `completable` and a `ResourceTemplate` bring it, so that
 * servers without them do not carry it.
 */
export function suggestBy(completer: Completer): Suggest {
  return async (value, context, ctx, ranks) => {
    const chosen = readChosen(context);
    const suggested = await completer(value, chosen && { arguments: chosen }, ctx);
    const given = suggested.map(String);
    const values = ranks ? rank([...new Set(given)], value) : given;
    return {
      completion: {
        values: values.slice(0, MAX_COMPLETION_VALUES),
        total: values.length,
        hasMore: values.length > MAX_COMPLETION_VALUES,
      },
    };
  };
}

function readChosen(context: unknown): Record<string, string> | undefined {
  if (!isJsonObject(context) || !isJsonObject(context['arguments'])) return undefined;
  const entries = Object.entries(context['arguments']);
  if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
    throw new ProtocolError('invalid-params', 'context.arguments must be strings.');
  return Object.fromEntries(entries);
}

/** Ranks values: exact matches, then those that begin alike, then those that contain the text, then the rest; otherwise in the completer's order. */
function rank(values: string[], typed: string): string[] {
  const wanted = typed.toLowerCase();
  const score = (value: string): number => {
    const candidate = value.toLowerCase();
    if (candidate === wanted) return 0;
    if (candidate.startsWith(wanted)) return 1;
    return candidate.includes(wanted) ? 2 : 3;
  };
  return values
    .map((value, index) => ({ value, index, score: score(value) }))
    .sort((a, b) => a.score - b.score || a.index - b.index)
    .map((item) => item.value);
}

/** The mark of an argument's schema, also through wrappers such as `.optional()`. */
function suggestOf(schema: unknown): Suggest | undefined {
  let current = schema;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth++) {
    const found = (current as Marked)[SUGGEST];
    if (found) return found;
    current = innerOf(current);
  }
  return undefined;
}

export function isCompletable(schema: unknown): boolean {
  return suggestOf(schema) !== undefined;
}

function innerOf(schema: object): unknown {
  const { def, _def } = schema as { def?: { innerType?: unknown }; _def?: { innerType?: unknown } };
  return def?.innerType ?? _def?.innerType;
}

/** The completers of an object schema's members: of a plain shape, or of a schema with one. */
export function completersOf(schema: object): ReadonlyMap<string, Suggest> {
  const { shape, _def } = schema as { shape?: unknown; _def?: { shape?: unknown } };
  const given = shape ?? _def?.shape ?? schema;
  const members = typeof given === 'function' ? (given as () => unknown)() : given;
  const found = new Map<string, Suggest>();
  for (const [name, member] of Object.entries(members as object)) {
    const suggest = suggestOf(member);
    if (suggest) found.set(name, suggest);
  }
  return found;
}
