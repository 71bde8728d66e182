import { type Budget, spend, TooComplex } from './budget.ts';

const maxDepth = 1_000;

/**
 * Writes a JSON value so that equal values, and only those, give the same text: member order does not matter, `1` equals `1.0`, `false` does not
 * equal `0`. Many values can then be compared through a set. Undefined once the text would be longer than `longest`.
 */
export function canonicalJson(value: unknown, budget: Budget, longest: number = Infinity): string | undefined {
  const to: Writing = { text: '', budget, longest };
  return write(value, to, 0) ? to.text : undefined;
}

interface Writing {
  text: string;
  readonly budget: Budget;
  readonly longest: number;
}

/** Returns false when the text would be too long. */
function write(value: unknown, to: Writing, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return writeScalar(value, to);
  if (depth > maxDepth) throw new TooComplex('the value is nested too deeply');
  if (Array.isArray(value)) return put('[', to) && value.every((item) => write(item, to, depth + 1)) && put(']', to);
  const members = value as Record<string, unknown>;
  const names = Object.keys(members);
  spend(to.budget, names.length);
  if (!put('{', to) || to.text.length + names.length > to.longest) return false;
  for (const name of names.toSorted()) if (!writeScalar(name, to) || !write(members[name], to, depth + 1)) return false;
  return put('}', to);
}

function writeScalar(value: unknown, to: Writing): boolean {
  if (typeof value !== 'string') return put(`${String(value)};`, to);
  // Checked before writing: the text of a value may be far longer than any text it is compared with.
  if (value.length > to.longest) return false;
  spend(to.budget, value.length >> 3);
  return put(JSON.stringify(value), to);
}

function put(text: string, to: Writing): boolean {
  spend(to.budget, 1);
  to.text += text;
  return to.text.length <= to.longest;
}

/** Tests whether a value equals one of `values`, in time that does not grow with their number. */
export function among(values: readonly unknown[]): (value: unknown, budget: Budget) => boolean {
  const scalars = new Set<unknown>();
  const composites = new Set<unknown>();
  let longest = 0;
  for (const value of values) {
    const text = isComposite(value) ? (canonicalJson(value, { steps: Infinity }) ?? '') : undefined;
    if (text === undefined) scalars.add(value);
    else composites.add(text);
    longest = Math.max(longest, text?.length ?? 0);
  }
  return (value, budget) =>
    isComposite(value) ? longest > 0 && composites.has(canonicalJson(value, budget, longest)) : scalars.has(value);
}

/** True when no two items are equal. */
export function allDistinct(items: readonly unknown[], budget: Budget): boolean {
  spend(budget, items.length);
  if (items.length < 2) return true;
  const scalars = new Set<unknown>();
  const composites = new Set<unknown>();
  for (const item of items) {
    const seen = isComposite(item) ? composites : scalars;
    const key = isComposite(item) ? canonicalJson(item, budget) : item;
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}

function isComposite(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
