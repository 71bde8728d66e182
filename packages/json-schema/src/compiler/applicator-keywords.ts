import type { ValidationIssue } from '../validation-issue.ts';
import { describeIssue } from '../validation-issue.ts';
import { type Check, every, quietly, refuse, type Run } from './check.ts';
import { addEvaluated, type Evaluated, nothingEvaluated } from './evaluated.ts';
import { type KeywordCompiler, readList, readOne } from './schema-node.ts';
import { typeName } from './type-keyword.ts';

export const compileApplicatorKeywords: KeywordCompiler = (node) => {
  if (!node.dialect.applicator) return [];
  const checks: Check[] = [];
  const allOf = readList(node, 'allOf');
  const anyOf = readList(node, 'anyOf');
  const oneOf = readList(node, 'oneOf');
  const not = readOne(node, 'not');
  const condition = readOne(node, 'if');
  if (allOf !== undefined) checks.push(every(allOf));
  if (anyOf !== undefined) checks.push(anyOfCheck(anyOf));
  if (oneOf !== undefined) checks.push(oneOfCheck(oneOf));
  if (not !== undefined) {
    checks.push(
      (value, run) => !quietly(not, value, run, undefined) || refuse(run, 'not', 'this value is not allowed here'),
    );
  }
  if (condition !== undefined) checks.push(ifCheck(condition, readOne(node, 'then'), readOne(node, 'else')));
  return checks;
};

/** A branch that fails must leave no trace in what counts as evaluated. */
function tryBranch(check: Check, value: unknown, run: Run, seen: Evaluated | undefined): boolean {
  if (seen === undefined) return check(value, run, undefined);
  const own = nothingEvaluated();
  const ok = check(value, run, own);
  if (ok) addEvaluated(seen, own, run);
  return ok;
}

function anyOfCheck(branches: readonly Check[]): Check {
  return (value, run, seen) => {
    const { issues } = run;
    const failures: (readonly ValidationIssue[])[] | undefined = issues === undefined ? undefined : [];
    let ok = false;
    for (const branch of branches) {
      const own: ValidationIssue[] | undefined = issues === undefined ? undefined : [];
      run.issues = own;
      const matched = tryBranch(branch, value, run, seen);
      run.issues = issues;
      if (own !== undefined) failures?.push(own);
      if (!matched) continue;
      ok = true;
      // The result is settled; further branches matter only for the record of evaluated members.
      if (seen === undefined) return true;
    }
    return ok || explainBranches('anyOf', failures ?? [], value, run);
  };
}

function oneOfCheck(branches: readonly Check[]): Check {
  return (value, run, seen) => {
    const { issues } = run;
    const failures: (readonly ValidationIssue[])[] | undefined = issues === undefined ? undefined : [];
    let count = 0;
    for (const branch of branches) {
      const own: ValidationIssue[] | undefined = issues === undefined ? undefined : [];
      run.issues = own;
      const matched = tryBranch(branch, value, run, seen);
      run.issues = issues;
      if (own !== undefined) failures?.push(own);
      if (matched && ++count > 1)
        return refuse(run, 'oneOf', 'matches more than one of the alternatives, expected exactly one');
    }
    return count === 1 || explainBranches('oneOf', failures ?? [], value, run);
  };
}

function ifCheck(condition: Check, then: Check | undefined, otherwise: Check | undefined): Check {
  const test: Check = (value, run, seen) => tryBranch(condition, value, run, seen);
  return (value, run, seen) => {
    const branch = quietly(test, value, run, seen) ? then : otherwise;
    return branch === undefined || branch(value, run, seen);
  };
}

/** Explains why no branch matched: with all types if only types were wrong, otherwise with the issues of the nearest branch. */
function explainBranches(
  keyword: string,
  failures: readonly (readonly ValidationIssue[])[],
  value: unknown,
  run: Run,
): false {
  const { issues } = run;
  if (issues === undefined) return false;
  const here = run.path.length;
  const expected = failures.map((own) => typeFailure(own, here));
  if (expected.every((type) => type !== undefined)) {
    return refuse(run, keyword, `expected ${[...new Set(expected)].join(' or ')}, got ${typeName(value)}`);
  }
  const candidates = failures.filter((_, index) => expected[index] === undefined && failures[index]?.length !== 0);
  const nearest = nearestOf(candidates);
  const message = `matches none of the ${failures.length} alternatives`;
  if (nearest === undefined) return refuse(run, keyword, message);
  const path = [...run.path];
  const [first] = nearest;
  issues.push({ path, keyword, message: describeIssue(path, `${message}; nearest: ${first?.message ?? ''}`) });
  for (const issue of nearest.slice(1)) if (issues.length < run.maxIssues) issues.push(issue);
  return false;
}

function typeFailure(own: readonly ValidationIssue[], depth: number): string | undefined {
  const [only] = own;
  if (own.length !== 1 || only?.keyword !== 'type' || only.path.length !== depth) return undefined;
  const end = only.message.lastIndexOf(', got ');
  const begin = only.message.lastIndexOf(EXPECTED, end);
  return begin === -1 || end === -1 ? undefined : only.message.slice(begin + EXPECTED.length, end);
}

const EXPECTED = 'expected ';

/** The branch that got deepest into the value; among several, the first with the fewest issues. */
function nearestOf(candidates: readonly (readonly ValidationIssue[])[]): readonly ValidationIssue[] | undefined {
  let nearest: readonly ValidationIssue[] | undefined;
  let deepest = -1;
  for (const own of candidates) {
    const depth = depthOf(own);
    if (depth < deepest || (depth === deepest && nearest !== undefined && own.length >= nearest.length)) continue;
    nearest = own;
    deepest = depth;
  }
  return nearest;
}

function depthOf(own: readonly ValidationIssue[]): number {
  return Math.max(0, ...own.map((issue) => issue.path.length));
}
