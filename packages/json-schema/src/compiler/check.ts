import { type Budget, spend, TooComplex } from '../budget.ts';
import type { SchemaResource } from '../documents/schema-resource.ts';
import { describeIssue, type ValidationIssue } from '../validation-issue.ts';
import type { Evaluated } from './evaluated.ts';

/** The state of one validation. */
export interface Run extends Budget {
  /** Further levels to which evaluations may nest. */
  depth: number;
  /** The issues found so far; undefined on the fast path, where only the answer matters. */
  issues: ValidationIssue[] | undefined;
  maxIssues: number;
  /** Place in the instance; kept only while collecting. */
  readonly path: (string | number)[];
  /** The resources entered so far, outermost first; kept only for schemas with dynamic references. */
  readonly scope: SchemaResource[];
}

/** Tests whether a value satisfies a schema or keyword, and notes in `seen`, when given, which members it evaluated. */
export type Check = (value: unknown, run: Run, seen: Evaluated | undefined) => boolean;

/** The schema `true`. */
export const pass: Check = () => true;

/** Notes an issue if issues are wanted. Always false, so that a check can return it. */
export function refuse(run: Run, keyword: string, message: string): false {
  if (run.issues !== undefined && run.issues.length < run.maxIssues) {
    spend(run, 1 + stepsPerPathPart * run.path.length);
    run.issues.push({ path: [...run.path], message: describeIssue(run.path, message), keyword });
  }
  return false;
}

/** The cost of writing out the path of an issue, with names of up to 200 characters. */
const stepsPerPathPart = 16;

/** The schema `false`. */
export const nothing: Check = (_, run) => refuse(run, 'false', 'no value is allowed here');

/** After a failure: whether looking for further issues is pointless. */
export function isSettled(run: Run): boolean {
  return run.issues === undefined || run.issues.length >= run.maxIssues;
}

/** Applies a check to a member or item. */
export function checkAt(check: Check, value: unknown, key: string | number, run: Run): boolean {
  if (run.issues === undefined) return check(value, run, undefined);
  run.path.push(key);
  const ok = check(value, run, undefined);
  run.path.pop();
  return ok;
}

/** Applies a check without reporting its issues. */
export function quietly(check: Check, value: unknown, run: Run, seen: Evaluated | undefined): boolean {
  const { issues } = run;
  run.issues = undefined;
  const ok = check(value, run, seen);
  run.issues = issues;
  return ok;
}

/** All checks in order. While collecting, a failed one does not keep the others from reporting. */
export function every(checks: readonly Check[]): Check {
  const [first = pass, second] = checks;
  if (second === undefined) return first;
  if (checks.length === 2) {
    return (value, run, seen) => {
      if (first(value, run, seen)) return second(value, run, seen);
      return isSettled(run) ? false : second(value, run, seen) && false;
    };
  }
  return (value, run, seen) => {
    let ok = true;
    for (const check of checks) {
      if (check(value, run, seen)) continue;
      if (isSettled(run)) return false;
      ok = false;
    }
    return ok;
  };
}

/** Charges an evaluation that has subschemas of its own, and bounds how deeply evaluations nest. */
export function bounded(check: Check, cost: number): Check {
  return (value, run, seen) => {
    spend(run, cost);
    if (--run.depth < 0) throw new TooComplex('the value or the schema is nested too deeply');
    const ok = check(value, run, seen);
    run.depth++;
    return ok;
  };
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
