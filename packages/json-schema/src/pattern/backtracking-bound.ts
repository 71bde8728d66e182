import type { PatternNode } from './pattern-node.ts';

/** A bound on the ways to try a pattern on a text: at most `factor × (length + 1) ^ degree`. */
export interface BacktrackingBound {
  readonly factor: number;
  readonly degree: number;
}

/** The bound of a pattern; undefined when the number of ways may be exponential in the length of the text. */
export function backtrackingBound(pattern: PatternNode): BacktrackingBound | undefined {
  const bound = pathsOf(pattern);
  if (bound === undefined || startsAtStart(pattern)) return bound;
  return { factor: bound.factor, degree: bound.degree + 1 };
}

function startsAtStart(node: PatternNode): boolean {
  if (node.kind === 'edge') return node.edge === 'start';
  if (node.kind !== 'sequence') return false;
  const [first] = node.parts;
  return first !== undefined && startsAtStart(first);
}

function pathsOf(node: PatternNode): BacktrackingBound | undefined {
  if (node.kind === 'chars' || node.kind === 'edge') return { factor: 1, degree: 0 };
  if (node.kind === 'look') return pathsOf(node.body);
  if (node.kind === 'repeat') return repeatPaths(node);
  return node.kind === 'sequence' ? fold(node.parts, inTurn, 1) : fold(node.options, eitherOr, 0);
}

function inTurn(all: BacktrackingBound, one: BacktrackingBound): BacktrackingBound {
  return { factor: all.factor * one.factor, degree: all.degree + one.degree };
}

function eitherOr(all: BacktrackingBound, one: BacktrackingBound): BacktrackingBound {
  return { factor: all.factor + one.factor, degree: Math.max(all.degree, one.degree) };
}

function repeatPaths(node: PatternNode & { kind: 'repeat' }): BacktrackingBound | undefined {
  if (node.max === Infinity) return node.body.kind === 'chars' ? { factor: 1, degree: 1 } : undefined;
  const body = pathsOf(node.body);
  if (body === undefined) return undefined;
  return { factor: (node.max - node.min + 1) * body.factor ** node.max, degree: body.degree * node.max };
}

function fold(
  nodes: readonly PatternNode[],
  join: (all: BacktrackingBound, one: BacktrackingBound) => BacktrackingBound,
  factor: number,
): BacktrackingBound | undefined {
  let all: BacktrackingBound = { factor, degree: 0 };
  for (const node of nodes) {
    const one = pathsOf(node);
    if (one === undefined) return undefined;
    all = join(all, one);
  }
  return all;
}
