import { posix, win32 } from 'node:path';
import { canonicalJson, isObject, type Json } from '../values/json.ts';
import { MAX_GLOB_TEXT, matchesGlob } from '../values/glob.ts';
import { readPointer } from './pointer.ts';
import type { ValueTest } from './policy.ts';

/**
 * How doubt is resolved. A rule that allows lowers the guard: it matches only when it certainly does. A rule that asks or denies raises it: it
 * matches as soon as it may.
 */
export type Guard = 'lowers' | 'raises';

/** A value that is not known any more: a log has redacted or shortened it. */
export const UNKNOWN: unique symbol = Symbol('unknown');

type Leaf = Json | typeof UNKNOWN | undefined;

export interface ArgumentOptions {
  readonly guard: Guard;
  /** Whether a value stands for one that is not known. */
  readonly isUnknown?: (value: Json) => boolean;
  /** The answer for a value that is not known. */
  readonly unknownMatches?: boolean;
}

const MAX_LEAVES = 10_000;

/** Whether the arguments pass every test. */
export function matchesArguments(
  value: Json,
  tests: Readonly<Record<string, ValueTest>>,
  options: ArgumentOptions,
): boolean {
  return Object.entries(tests).every(([pointer, test]) => {
    const leaves = leavesAt(value, readPointer(pointer) ?? [], options);
    const passes = (leaf: Leaf): boolean =>
      leaf === UNKNOWN ? options.unknownMatches === true : passesTest(leaf, test, options.guard);
    if (leaves.length > MAX_LEAVES) return options.guard === 'raises';
    return options.guard === 'raises' ? leaves.some(passes) : leaves.every(passes);
  });
}

/** The values that a pointer names; `undefined` stands for one that is not there. A list is never empty. */
function leavesAt(value: Json, steps: readonly string[], { isUnknown }: ArgumentOptions): readonly Leaf[] {
  let found: readonly Leaf[] = [value];
  const known = (leaf: Leaf): Leaf =>
    leaf !== undefined && leaf !== UNKNOWN && isUnknown?.(leaf) === true ? UNKNOWN : leaf;
  for (const step of steps) {
    found = found.map(known).flatMap((leaf) => childrenOf(leaf, step));
    if (found.length > MAX_LEAVES) return found;
  }
  return found.map(known);
}

function childrenOf(leaf: Leaf, step: string): readonly Leaf[] {
  if (leaf === UNKNOWN || leaf === undefined) return [leaf];
  const isList = Array.isArray(leaf);
  if (!isList && !isObject(leaf)) return [undefined];
  if (step === '*') {
    const children = Object.values(leaf) as Leaf[];
    return children.length === 0 ? [undefined] : children;
  }
  if (isList) return [/^(?:0|[1-9]\d{0,9})$/.test(step) ? (leaf[Number(step)] as Leaf) : undefined];
  return [Object.hasOwn(leaf, step) ? (leaf as Readonly<Record<string, Json>>)[step] : undefined];
}

function passesTest(value: Json | undefined, test: ValueTest, guard: Guard): boolean {
  if (test.absent === true) return value === undefined;
  if (value === undefined) return false;
  if (test.equals !== undefined) return isSame(value, test.equals);
  if (test.in !== undefined) return test.in.some((one) => isSame(value, one));
  if (test.min !== undefined || test.max !== undefined)
    return typeof value === 'number' && value >= (test.min ?? -Infinity) && value <= (test.max ?? Infinity);
  if (typeof value !== 'string') return false;
  if (value.length > MAX_GLOB_TEXT) return guard === 'raises';
  if (test.within !== undefined) return isWithin(value, test.within, guard);
  return test.glob !== undefined && matchesGlob(test.glob, value);
}

function isSame(one: Json, other: Json): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other;
  try {
    return canonicalJson(one) === canonicalJson(other);
  } catch {
    // Nested too deeply to be compared, which no value of a policy is.
    return false;
  }
}

/** Whether a path leads into a folder. A relative path, or one of the other kind of system, may lead anywhere. */
function isWithin(path: string, folder: string, guard: Guard): boolean {
  const system = folder.startsWith('/') ? posix : win32;
  if (!system.isAbsolute(path) || path.includes('\0')) return guard === 'raises';
  // A path such as `\name` is that of the current drive, which is not known here.
  if (system === win32 && !/^(?:[A-Za-z]:[\\/]|[\\/]{2})/.test(path)) return guard === 'raises';
  const from = system.relative(system.normalize(folder), system.normalize(path));
  return from === '' || !(from === '..' || from.startsWith(`..${system.sep}`) || system.isAbsolute(from));
}
