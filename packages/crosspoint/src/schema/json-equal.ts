import { type Budget, spend, TooComplex } from './budget.ts';

const maxDepth = 1_000;

/** Equality of JSON values: member order does not matter, `1` equals `1.0`, `false` does not equal `0`. */
export function jsonEqual(left: unknown, right: unknown, budget: Budget, depth = 0): boolean {
  if (typeof left === 'string' && typeof right === 'string') spend(budget, 1 + (left.length >> 6));
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (depth > maxDepth) throw new TooComplex('the value is nested too deeply');
  if (Array.isArray(left)) return Array.isArray(right) && arraysEqual(left, right, budget, depth);
  if (Array.isArray(right)) return false;
  return objectsEqual(left as Record<string, unknown>, right as Record<string, unknown>, budget, depth);
}

function arraysEqual(left: readonly unknown[], right: readonly unknown[], budget: Budget, depth: number): boolean {
  if (left.length !== right.length) return false;
  spend(budget, left.length);
  for (let index = 0; index < left.length; index++) {
    if (!jsonEqual(left[index], right[index], budget, depth + 1)) return false;
  }
  return true;
}

function objectsEqual(
  left: Record<string, unknown>,
  right: Record<string, unknown>,
  budget: Budget,
  depth: number,
): boolean {
  const keys = Object.keys(left);
  const others = Object.keys(right);
  spend(budget, keys.length + others.length);
  if (keys.length !== others.length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key) || !jsonEqual(left[key], right[key], budget, depth + 1)) return false;
  }
  return true;
}

/**
 * A text that two JSON values share exactly when they are equal, so that many values are compared through a set. Undefined once it would
 * be longer than `longest`.
 */
export function canonicalJson(value: unknown, budget: Budget, longest: number = Infinity): string | undefined {
  const parts: string[] = [];
  return write(value, { parts, budget, left: longest }, 0) ? parts.join('') : undefined;
}

interface Writing {
  readonly parts: string[];
  readonly budget: Budget;
  /** Characters that may still be written. */
  left: number;
}

/** False when there is no room left. */
function write(value: unknown, to: Writing, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return writeScalar(value, to);
  if (depth > maxDepth) throw new TooComplex('the value is nested too deeply');
  if (Array.isArray(value)) {
    if (!put('[', to)) return false;
    for (const item of value) if (!write(item, to, depth + 1) || !put(',', to)) return false;
    return put(']', to);
  }
  const members = value as Record<string, unknown>;
  const names = Object.keys(members);
  spend(to.budget, names.length);
  if (names.length > to.left) return false;
  if (!put('{', to)) return false;
  for (const name of names.toSorted()) if (!writeScalar(name, to) || !write(members[name], to, depth + 1)) return false;
  return put('}', to);
}

function writeScalar(value: unknown, to: Writing): boolean {
  if (typeof value !== 'string') return put(`${String(value)};`, to);
  // Compared before it is written: the text of a value may be far longer than everything it is held against.
  if (value.length > to.left) return false;
  spend(to.budget, value.length >> 3);
  return put(JSON.stringify(value), to);
}

function put(text: string, to: Writing): boolean {
  spend(to.budget, 1);
  to.left -= text.length;
  if (to.left < 0) return false;
  to.parts.push(text);
  return true;
}

/** True when no two items are equal. */
export function allDistinct(items: readonly unknown[], budget: Budget): boolean {
  spend(budget, items.length);
  if (items.length < 2) return true;
  const scalars = new Set<unknown>();
  const composites = new Set<string | undefined>();
  for (const item of items) {
    const isComposite = typeof item === 'object' && item !== null;
    const seen: Set<unknown> = isComposite ? composites : scalars;
    const key = isComposite ? canonicalJson(item, budget) : item;
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}
