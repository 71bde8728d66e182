import { buildAutomaton, type Automaton } from '../../../json-schema/src/pattern/automaton.ts';
import { CharSet } from '../../../json-schema/src/pattern/char-set.ts';
import { parsePattern } from '../../../json-schema/src/pattern/parse-pattern.ts';
import type { PatternNode } from '../../../json-schema/src/pattern/pattern-node.ts';

/**
 * Whether a backtracking matcher may need more than linear time: where two loops of the pattern (or a loop and the search for a place to
 * begin) can read the same text, it tries every way to divide that text between them. Undefined when that is impossible by the shape of the
 * pattern; else the loops. Errs on the side of a complaint. Backreferences are not read.
 */
export function ambiguityOf(expression: RegExp): string | undefined {
  const node = simplified(parsePattern(expression.source));
  if (node === 'nullable-loop') return 'a loop whose body may be empty';
  const graph = toGraph(node, expression);
  return exponential(graph) ?? polynomial(graph);
}

/** Repetitions beyond this are taken for unbounded: a factor of more than that is as good as a square. */
const MANY = 40;
const never: PatternNode = { kind: 'chars', set: new CharSet([]) };
/** What may hold or not, without reading anything. */
const condition: PatternNode = { kind: 'edge', edge: 'word' };
const nothing: PatternNode = { kind: 'sequence', parts: [] };

/** Lookaround as what the matcher does: it reads its text and goes on from where it was. Large counts as loops. */
function simplified(node: PatternNode): PatternNode | 'nullable-loop' {
  const parts: (PatternNode | 'nullable-loop')[] = children(node).map(simplified);
  if (parts.includes('nullable-loop')) return 'nullable-loop';
  const [body = nothing, ...rest] = parts as PatternNode[];
  if (node.kind === 'sequence') return { kind: 'sequence', parts: parts as PatternNode[] };
  if (node.kind === 'choice') return { kind: 'choice', options: [body, ...rest] };
  if (node.kind === 'look') {
    if (!node.ahead && isUnbounded(node.body)) return 'nullable-loop';
    return node.ahead
      ? { kind: 'choice', options: [{ kind: 'sequence', parts: [body, never] }, condition] }
      : condition;
  }
  if (node.kind !== 'repeat') return node;
  const max = node.max > MANY ? Infinity : node.max;
  if (max === Infinity && isNullable(body)) return 'nullable-loop';
  return { kind: 'repeat', body, min: Math.min(node.min, MANY), max };
}

function children(node: PatternNode): readonly PatternNode[] {
  if (node.kind === 'sequence') return node.parts;
  if (node.kind === 'choice') return node.options;
  return node.kind === 'repeat' || node.kind === 'look' ? [node.body] : [];
}

function isUnbounded(node: PatternNode): boolean {
  return (node.kind === 'repeat' && node.max > MANY) || children(node).some(isUnbounded);
}

function isNullable(node: PatternNode): boolean {
  if (node.kind === 'chars') return false;
  if (node.kind === 'repeat') return node.min === 0 || isNullable(node.body);
  if (node.kind === 'choice') return node.options.some(isNullable);
  return node.kind === 'sequence' ? node.parts.every(isNullable) : true;
}

/** Places in the pattern that read a character, with those that may read the next one. */
interface Graph {
  /** Which of the sample characters each place reads; place 0 is the search for a beginning, and reads any. */
  readonly reads: readonly bigint[];
  readonly next: readonly ReadonlySet<number>[];
  /** Places after which the pattern is fulfilled whatever follows: no way through them is ever tried anew. */
  readonly fulfilled: ReadonlySet<number>;
  readonly place: readonly string[];
}

function toGraph(node: PatternNode, { flags, source }: RegExp): Graph {
  const automaton = buildAutomaton(node, { left: 1_000_000 });
  const samples = sampleCharacters(automaton);
  const reading = automaton.states.flatMap((state, index) => (state.kind === 'chars' ? [index] : []));
  const placeOf = new Map(reading.map((state, index) => [state, index + 1]));
  const ignoreCase = flags.includes('i');
  const reads = [(1n << BigInt(samples.length)) - 1n];
  const place = ['the search'];
  const next: Set<number>[] = [new Set()];
  const fulfilled = new Set<number>();
  for (const index of reading) {
    const state = automaton.states[index];
    if (state?.kind !== 'chars') continue;
    const { set } = state;
    const bits = samples.map((point): bigint => (hasPoint(set, point, ignoreCase) ? 1n : 0n));
    reads.push(bits.reduce((all, bit, at) => all | (bit << BigInt(at)), 0n));
    place.push(describeSet(set));
    const reached = closure(automaton, state.next, { throughEdges: true });
    next.push(new Set(reached.map((other) => placeOf.get(other) ?? -1).filter((other) => other !== -1)));
    if (
      closure(automaton, state.next, { throughEdges: false }).some((other) => automaton.states[other]?.kind === 'match')
    )
      fulfilled.add(next.length - 1);
  }
  const anchored = !flags.includes('m');
  const begins = closure(automaton, automaton.start, { throughEdges: true, exceptStart: anchored });
  if (!flags.includes('y')) for (const state of begins) if (placeOf.has(state)) next[0]?.add(placeOf.get(state) ?? 0);
  if ((next[0]?.size ?? 0) > 0) next[0]?.add(0);
  if (source === '') next[0]?.clear();
  return { reads, next, fulfilled, place };
}

function closure(
  automaton: Automaton,
  start: number,
  how: { throughEdges: boolean; exceptStart?: boolean },
): readonly number[] {
  const seen = new Set<number>();
  const open = [start];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const state = automaton.states[index];
    if (state === undefined || seen.has(index)) continue;
    seen.add(index);
    if (state.kind === 'split') open.push(state.next, state.other);
    else if (state.kind === 'edge' && how.throughEdges && !(how.exceptStart === true && state.edge === 'start'))
      open.push(state.next);
  }
  return [...seen];
}

/** One character of every kind that the sets of the pattern can tell apart; letters stand for Unicode properties. */
function sampleCharacters(automaton: Automaton): readonly number[] {
  const points = new Set([0, 97, 65, 48, 0xe9, 0x416, 0x4e2d, 0x663, 0x10000]);
  for (const state of automaton.states) {
    if (state.kind !== 'chars') continue;
    for (const edge of state.set.ranges) for (const point of [edge - 1, edge, edge + 1]) points.add(point);
  }
  return [...points].filter((point) => point >= 0 && point <= 0x10ffff);
}

function hasPoint(set: CharSet, point: number, ignoreCase: boolean): boolean {
  if (set.has(point) || !ignoreCase) return set.has(point);
  const char = String.fromCodePoint(point);
  return [char.toLowerCase(), char.toUpperCase()].some((other) => set.has(other.codePointAt(0) ?? 0));
}

function describeSet(set: CharSet): string {
  const shown = [...set.ranges.slice(0, 8), ...set.properties].map((item) =>
    typeof item === 'number' ? JSON.stringify(String.fromCodePoint(item)).slice(1, -1) : item,
  );
  return `[${set.negated ? '^' : ''}${shown.join('')}]`;
}

/** Two different ways around the same loop over the same text. */
function exponential(graph: Graph): string | undefined {
  for (const start of looping(graph, () => true)) {
    const same = new Set(componentOf(graph, start, () => true));
    const found = reaches<readonly [number, number, number]>(
      [start, start, 0],
      ([a, b, differ]) => {
        const steps: (readonly [number, number, number])[] = [];
        for (const c of graph.next[a] ?? [])
          for (const d of graph.next[b] ?? [])
            if (same.has(c) && same.has(d) && meet(graph, c, d)) steps.push([c, d, differ === 1 || c !== d ? 1 : 0]);
        return steps;
      },
      ([a, b, differ]) => a === start && b === start && differ === 1,
    );
    if (found) return `two ways around the loop at ${graph.place[start]}`;
  }
  return undefined;
}

/** A text that one loop can read, another can read, and that leads from the first to the second. */
function polynomial(graph: Graph): string | undefined {
  const open = (place: number): boolean => !graph.fulfilled.has(place);
  for (const first of looping(graph, () => true)) {
    const own = new Set(componentOf(graph, first, () => true));
    for (const second of looping(graph, open)) {
      if (second === first) continue;
      const other = new Set(componentOf(graph, second, open));
      const found = reaches<readonly [number, number, number]>(
        [first, first, second],
        ([a, b, c]) => {
          const steps: (readonly [number, number, number])[] = [];
          for (const d of graph.next[a] ?? []) {
            if (!own.has(d)) continue;
            for (const f of graph.next[c] ?? []) {
              if (!other.has(f) || !meet(graph, d, f)) continue;
              for (const e of graph.next[b] ?? []) if (meet(graph, d, e, f)) steps.push([d, e, f]);
            }
          }
          return steps;
        },
        ([a, b, c]) => a === first && b === second && c === second,
      );
      if (found) return `${graph.place[first]} and the loop at ${graph.place[second]} can share a text`;
    }
  }
  return undefined;
}

function meet(graph: Graph, ...places: readonly number[]): boolean {
  return places.reduce((all, place) => all & (graph.reads[place] ?? 0n), -1n) !== 0n;
}

/** Whether a wanted node is reached in at least one step. */
function reaches<T extends readonly number[]>(
  from: T,
  steps: (node: T) => readonly T[],
  wanted: (node: T) => boolean,
): boolean {
  const seen = new Set<string>();
  const open = [...steps(from)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (wanted(node)) return true;
    const key = node.join();
    if (seen.has(key)) continue;
    seen.add(key);
    open.push(...steps(node));
  }
  return false;
}

/** The places that can be reached from themselves, through allowed ones only. */
function looping(graph: Graph, allowed: (place: number) => boolean): readonly number[] {
  return graph.next.flatMap((_, place) => {
    if (!allowed(place)) return [];
    const steps = ([at = 0]: readonly number[]): (readonly number[])[] =>
      [...(graph.next[at] ?? [])]
        .filter((other) => allowed(other) && graph.reads[other] !== 0n)
        .map((other) => [other]);
    return reaches<readonly number[]>([place], steps, ([at]) => at === place) ? [place] : [];
  });
}

/** The places on loops through this one. */
function componentOf(graph: Graph, place: number, allowed: (place: number) => boolean): readonly number[] {
  const steps = ([at = 0]: readonly number[]): (readonly number[])[] =>
    [...(graph.next[at] ?? [])].filter((other) => allowed(other)).map((other) => [other]);
  const reachable = graph.next.flatMap((_, other) =>
    allowed(other) && reaches<readonly number[]>([place], steps, ([at]) => at === other) ? [other] : [],
  );
  return reachable.filter((other) => reaches<readonly number[]>([other], steps, ([at]) => at === place));
}
