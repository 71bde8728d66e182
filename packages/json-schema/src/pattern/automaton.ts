import type { CharSet } from './char-set.ts';
import type { Edge, PatternNode } from './pattern-node.ts';

/** One state of a nondeterministic automaton; `next` and `other` are indexes of states. */
export type State =
  | { readonly kind: 'chars'; readonly set: CharSet; readonly next: number }
  | { readonly kind: 'split'; next: number; readonly other: number }
  | { readonly kind: 'edge'; readonly edge: Edge; readonly next: number }
  | { readonly kind: 'look'; readonly look: number; readonly negated: boolean; readonly next: number }
  | { readonly kind: 'match' };

export interface Automaton {
  readonly states: readonly State[];
  readonly start: number;
  /** Reads its input from the end to the beginning; used for lookahead. */
  readonly backwards: boolean;
  /** The automata of lookaround assertions, which are decided for every position before this one runs. */
  readonly looks: readonly Automaton[];
  readonly visits: Visits;
}

/** The last visit of each state. Kept between the synchronous runs, so that a short text does not cost as much as a long pattern. */
export interface Visits {
  /** Numbers the positions of all runs. */
  position: number;
  readonly last: Float64Array;
}

/** Thrown for too many states: bounded repetitions are written out, so `(a{999}){999}` would be a million of them. */
export class AutomatonTooLarge extends Error {}

/** States that may still be made, for all patterns of one schema together. */
export interface PatternRoom {
  left: number;
}

/** The cost of reading a pattern: a long class is one state, and the engine builds the table of a Unicode property each time it is written. */
const charactersPerState = 4;
const statesPerProperty = 250;

/** Charges the text of a pattern before it is read. */
export function takeRoomForText(pattern: string, room: PatternRoom): void {
  room.left -= pattern.length / charactersPerState;
  for (const _property of pattern.matchAll(/\\p\{/gi)) room.left -= statesPerProperty;
  if (room.left < 0) throw new AutomatonTooLarge('the patterns are too large');
}

export function patternRoom(): PatternRoom {
  return { left: 50_000 };
}

interface Builder {
  readonly states: State[];
  readonly looks: Automaton[];
  readonly backwards: boolean;
  readonly room: PatternRoom;
}

export function buildAutomaton(node: PatternNode, room: PatternRoom, backwards = false): Automaton {
  const builder: Builder = { states: [], looks: [], backwards, room };
  const start = emit(builder, node, add(builder, { kind: 'match' }));
  const visits = { position: 0, last: new Float64Array(builder.states.length) };
  return { states: builder.states, start, backwards, looks: builder.looks, visits };
}

function add(builder: Builder, state: State): number {
  if (--builder.room.left < 0) throw new AutomatonTooLarge('the pattern is too large');
  return builder.states.push(state) - 1;
}

/** Adds the states that match `node` and then continue at `next`; returns the index of the first. */
function emit(builder: Builder, node: PatternNode, next: number): number {
  if (node.kind === 'chars') return add(builder, { kind: 'chars', set: node.set, next });
  if (node.kind === 'edge') return add(builder, { kind: 'edge', edge: node.edge, next });
  if (node.kind === 'sequence') return emitSequence(builder, node.parts, next);
  if (node.kind === 'repeat') return emitRepeat(builder, node, next);
  if (node.kind === 'choice') {
    const begins = node.options.map((option) => emit(builder, option, next));
    return begins.reduce((other, begin) => add(builder, { kind: 'split', next: begin, other }));
  }
  const look = builder.looks.push(buildAutomaton(node.body, builder.room, node.ahead)) - 1;
  return add(builder, { kind: 'look', look, negated: node.negated, next });
}

function emitSequence(builder: Builder, parts: readonly PatternNode[], next: number): number {
  const order = builder.backwards ? parts : parts.toReversed();
  return order.reduce((after, part) => emit(builder, part, after), next);
}

function emitRepeat(builder: Builder, node: PatternNode & { kind: 'repeat' }, next: number): number {
  let begin = next;
  if (node.max === Infinity) {
    const loop: State & { kind: 'split' } = { kind: 'split', next: next, other: next };
    begin = add(builder, loop);
    loop.next = emit(builder, node.body, begin);
  } else {
    for (let extra = node.min; extra < node.max; extra++) {
      begin = add(builder, { kind: 'split', next: emit(builder, node.body, begin), other: next });
    }
  }
  for (let copy = 0; copy < node.min; copy++) {
    const copyBegin = emit(builder, node.body, begin);
    // A body without states would be repeated for ever without ever reaching the limit of states.
    if (copyBegin === begin) break;
    begin = copyBegin;
  }
  return begin;
}
