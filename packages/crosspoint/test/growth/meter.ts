import { Session, type Profiler } from 'node:inspector';
import { regexpSteps } from './regexp-steps.ts';

/*
 * Steps instead of seconds. The engine counts how often each block of the sources was run (the same counters that coverage uses), which is
 * deterministic. What is built in has no blocks: while something is measured, built-in functions whose work grows with what they are given
 * are replaced by ones that also count, and regular expressions by the steps of a backtracking matcher.
 */
const session = new Session();
session.connect();
// Before anything of the sources is compiled: functions that were compiled before have no counters for their blocks.
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** Sources of this package, and of the parsers that it uses. */
const SOURCES = [
  '/packages/crosspoint/src/',
  '/packages/apps/src/',
  '/packages/authorization-server/src/',
  '/packages/json-schema/src/',
  '/packages/openapi/src/',
  '/packages/recording/src/',
  '/packages/skills/src/',
  '/node_modules/yaml/',
  '/node_modules/eventsource-parser/',
];

/** The steps that a function takes. What it returns or throws is not looked at. */
export function stepsOf(run: () => unknown): number {
  let builtIn = 0;
  const searches: Search[] = [];
  takeCounts();
  const restore = replaceBuiltIns((steps) => (builtIn += steps), searches);
  try {
    run();
  } catch {
    // Refusing is as good as accepting: only the work counts.
  } finally {
    restore();
  }
  const blocks = takeCounts();
  // Afterwards, because the matcher is made of parts of the sources as well.
  return searches.reduce(
    (all, { expression, text, from }) => all + regexpSteps(expression, text, from),
    blocks + builtIn,
  );
}

interface Search {
  readonly expression: RegExp;
  readonly text: string;
  readonly from: number;
}

function takeCounts(): number {
  let total = 0;
  session.post('Profiler.takePreciseCoverage', (error, found?: Profiler.TakePreciseCoverageReturnType) => {
    if (error) throw error;
    for (const script of found?.result ?? []) {
      if (!SOURCES.some((part) => script.url.includes(part))) continue;
      for (const { ranges } of script.functions) for (const { count } of ranges) total += count;
    }
  });
  return total;
}

type Cost = (self: unknown, args: readonly unknown[], result: unknown) => number;
type Method = (...args: unknown[]) => unknown;
interface Replaced {
  readonly owner: object;
  readonly name: PropertyKey;
  readonly cost: Cost;
}

const lengthOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return 'length' in value && typeof value.length === 'number' ? value.length : 0;
};
const whole: Cost = (self) => lengthOf(self);
const made: Cost = (_self, _args, result) => lengthOf(result);
const given: Cost = (_self, args) => lengthOf(args[0]);
/** Up to the place that was found, from where the search began. */
const upToFound: Cost = (self, args, result) => {
  const from = typeof args[1] === 'number' ? args[1] : 0;
  return (typeof result === 'number' && result >= 0 ? result : lengthOf(self)) - from;
};

const backToFound: Cost = (self, args, result) => {
  const from = typeof args[1] === 'number' ? Math.min(args[1], lengthOf(self)) : lengthOf(self);
  return typeof result === 'number' && result >= 0 ? from - result : from;
};

const every = (owner: object, names: readonly PropertyKey[], cost: Cost): readonly Replaced[] =>
  names.map((name) => ({ owner, name, cost }));

const TYPED = Object.getPrototypeOf(Uint8Array.prototype) as object;
const BUILT_IN: readonly Replaced[] = [
  ...every(String.prototype, ['indexOf', 'search'], upToFound),
  ...every(String.prototype, ['lastIndexOf'], backToFound),
  ...every(String.prototype, ['includes'], (self, args) =>
    upToFound(self, args, String(self).indexOf(String(args[0]), Number(args[1] ?? 0))),
  ),
  ...every(String.prototype, ['split', 'trim', 'trimStart', 'trimEnd'], whole),
  ...every(String.prototype, ['toLowerCase', 'toUpperCase', 'normalize', 'localeCompare'], whole),
  ...every(String.prototype, ['startsWith', 'endsWith'], given),
  // A long slice shares its text.
  ...every(String.prototype, ['slice', 'substring', 'substr'], (_self, _args, result) =>
    Math.min(13, lengthOf(result)),
  ),
  ...every(String.prototype, ['replace', 'replaceAll', 'repeat', 'padStart', 'padEnd', 'concat'], made),
  ...every(Array.prototype, ['indexOf'], upToFound),
  ...every(Array.prototype, ['includes'], (self, args) => upToFound(self, args, (self as unknown[]).indexOf(args[0]))),
  ...every(Array.prototype, ['lastIndexOf', 'shift', 'unshift', 'splice', 'reverse'], whole),
  ...every(Array.prototype, ['sort', 'toSorted', 'toReversed', 'fill', 'copyWithin'], whole),
  ...every(Array.prototype, ['slice', 'concat', 'join', 'flat'], made),
  ...every(Array.prototype, [Symbol.iterator], whole),
  ...every(TYPED, ['indexOf', 'lastIndexOf', 'includes', 'fill', 'copyWithin', 'reverse', 'sort'], whole),
  ...every(TYPED, ['slice', 'join'], made),
  ...every(TYPED, ['set'], given),
  ...every(Object, ['keys', 'values', 'entries', 'getOwnPropertyNames'], made),
  ...every(Object, ['fromEntries', 'assign'], (_self, _args, result) => Object.keys(result as object).length),
  ...every(Array, ['from'], made),
  ...every(JSON, ['parse'], given),
  ...every(JSON, ['stringify'], made),
  ...every(globalThis, ['decodeURIComponent', 'encodeURIComponent', 'decodeURI', 'encodeURI', 'atob', 'btoa'], given),
  ...every(globalThis, ['structuredClone'], () => 1),
  ...every(TextDecoder.prototype, ['decode'], given),
  ...every(TextEncoder.prototype, ['encode'], made),
  ...every(URL, ['canParse', 'parse'], given),
];

function replaceBuiltIns(count: (steps: number) => void, searches: Search[]): () => void {
  let counting = true;
  const counted = (steps: () => number): void => {
    if (!counting) return;
    counting = false;
    try {
      count(1 + steps());
    } finally {
      counting = true;
    }
  };
  const undo = BUILT_IN.flatMap(({ owner, name, cost }) => {
    const original = (owner as Record<PropertyKey, unknown>)[name] as Method | undefined;
    if (original === undefined) return [];
    const wasOwn = Object.getOwnPropertyDescriptor(owner, name);
    const replacement = function replaced(this: unknown, ...args: unknown[]): unknown {
      const before = counting ? lengthOf(this) : 0;
      const result = Reflect.apply(original, this, args) as unknown;
      counted(() => Math.max(cost(this, args, result), cost === whole ? before : 0));
      return result;
    };
    Object.defineProperty(owner, name, { value: replacement, configurable: true, writable: true });
    return [() => wasOwn && Object.defineProperty(owner, name, wasOwn)];
  });
  const expressions: object = RegExp.prototype;
  const exec = Object.getOwnPropertyDescriptor(expressions, 'exec');
  const native = exec?.value as Method;
  Object.defineProperty(expressions, 'exec', {
    configurable: true,
    writable: true,
    value: function execCounted(this: RegExp, text: unknown): RegExpExecArray | null {
      const from = this.global || this.sticky ? this.lastIndex : 0;
      if (counting) searches[searches.length] = { expression: this, text: String(text), from };
      return Reflect.apply(native, this, [text]) as RegExpExecArray | null;
    },
  });
  return () => {
    if (exec) Object.defineProperty(expressions, 'exec', exec);
    for (const one of undo) one();
  };
}
