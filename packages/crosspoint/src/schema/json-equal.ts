import { type Budget, spend, TooComplex } from './budget.ts';

const maxDepth = 1_000;

/** Equality of JSON values: member order does not matter, `1` equals `1.0`, `false` does not equal `0`. */
export function jsonEqual(left: unknown, right: unknown, budget: Budget, depth = 0): boolean {
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
  if (keys.length !== Object.keys(right).length) return false;
  spend(budget, keys.length);
  for (const key of keys) {
    if (!Object.hasOwn(right, key) || !jsonEqual(left[key], right[key], budget, depth + 1)) return false;
  }
  return true;
}

/** True when no two items are equal. Scalars are compared through a set, so only composite items cost pairs. */
export function allDistinct(items: readonly unknown[], budget: Budget): boolean {
  spend(budget, items.length);
  if (items.length < 2) return true;
  const scalars = new Set<unknown>();
  const composites: object[] = [];
  for (const item of items) {
    if (typeof item === 'object' && item !== null) {
      composites.push(item);
      continue;
    }
    if (scalars.has(item)) return false;
    scalars.add(item);
  }
  for (let index = 1; index < composites.length; index++) {
    spend(budget, index);
    for (let other = 0; other < index; other++) {
      if (jsonEqual(composites[index], composites[other], budget)) return false;
    }
  }
  return true;
}
