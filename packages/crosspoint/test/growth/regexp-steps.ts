import { notLineEnd, word, type CharSet } from '../../../json-schema/src/pattern/char-set.ts';
import { parsePattern } from '../../../json-schema/src/pattern/parse-pattern.ts';
import type { Edge, PatternNode } from '../../../json-schema/src/pattern/pattern-node.ts';

type Instruction =
  | { readonly kind: 'char'; readonly set: CharSet }
  /** Goes on at `first`, and at `second` when that fails. */
  | { readonly kind: 'split'; first: number; second: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'look'; readonly body: Program; readonly ahead: boolean; readonly negated: boolean }
  | { readonly kind: 'match' };
type Program = readonly Instruction[];

interface Matching {
  readonly text: string;
  readonly ignoreCase: boolean;
  readonly lines: boolean;
  readonly dotAll: boolean;
  readonly unicode: boolean;
  steps: number;
}

const programs = new Map<string, Program>();
const LONGEST_LOOKBEHIND = 16;

/** Loops that take as little as they can, which only dependencies use, are not modelled. */
const HAS_LAZY_LOOP = /[*+?}]\?/;

/**
 * The instructions that a backtracking matcher carries out for one search, as the engine's own does. The engine has shortcuts, so it may
 * need fewer. A search with a lazy loop counts the characters that it passes.
 */
export function regexpSteps(expression: RegExp, text: string, from: number): number {
  if (HAS_LAZY_LOOP.test(expression.source)) return charactersPassed(expression, text, from);
  let program = programs.get(expression.source);
  if (program === undefined) programs.set(expression.source, (program = compile(parsePattern(expression.source))));
  const { flags } = expression;
  const has = (flag: string): boolean => flags.includes(flag);
  const matching: Matching = {
    text,
    ignoreCase: has('i'),
    lines: has('m'),
    dotAll: has('s'),
    unicode: has('u') || has('v'),
    steps: 0,
  };
  const anchored = program[0]?.kind === 'edge' && program[0].edge === 'start' && !matching.lines;
  for (let start = from; start <= text.length; start++) {
    matching.steps++;
    if (matches(program, matching, start) !== undefined || has('y') || anchored) break;
  }
  return matching.steps;
}

function charactersPassed(expression: RegExp, text: string, from: number): number {
  const copy = new RegExp(
    expression.source,
    expression.flags.includes('y') ? expression.flags : `${expression.flags.replace('g', '')}g`,
  );
  copy.lastIndex = from;
  const found = copy.exec(text);
  return 1 + (found === null ? text.length - from : found.index + found[0].length - from);
}

function compile(node: PatternNode): Program {
  const program: Instruction[] = [];
  emit(node, program);
  program.push({ kind: 'match' });
  return program;
}

function emit(node: PatternNode, to: Instruction[]): void {
  if (node.kind === 'chars') to.push({ kind: 'char', set: node.set });
  else if (node.kind === 'edge') to.push({ kind: 'edge', edge: node.edge });
  else if (node.kind === 'sequence') for (const part of node.parts) emit(part, to);
  else if (node.kind === 'look')
    to.push({ kind: 'look', body: compile(node.body), ahead: node.ahead, negated: node.negated });
  else if (node.kind === 'choice') emitChoice(node.options, to);
  else emitRepeat(node, to);
}

function emitChoice(options: readonly PatternNode[], to: Instruction[]): void {
  const ends: { kind: 'jump'; to: number }[] = [];
  for (const [index, option] of options.entries()) {
    const split = { kind: 'split' as const, first: to.length + 1, second: 0 };
    if (index < options.length - 1) to.push(split);
    emit(option, to);
    if (index === options.length - 1) continue;
    const end = { kind: 'jump' as const, to: 0 };
    ends.push(end);
    to.push(end);
    split.second = to.length;
  }
  for (const end of ends) end.to = to.length;
}

function emitRepeat(node: PatternNode & { kind: 'repeat' }, to: Instruction[]): void {
  for (let copy = 0; copy < node.min; copy++) emit(node.body, to);
  if (node.max === Infinity) {
    const split = { kind: 'split' as const, first: to.length + 1, second: 0 };
    const again = { kind: 'jump' as const, to: to.length };
    to.push(split);
    emit(node.body, to);
    to.push(again);
    split.second = to.length;
    return;
  }
  const splits: { kind: 'split'; first: number; second: number }[] = [];
  for (let copy = node.min; copy < node.max; copy++) {
    const split = { kind: 'split' as const, first: to.length + 1, second: 0 };
    splits.push(split);
    to.push(split);
    emit(node.body, to);
  }
  for (const split of splits) split.second = to.length;
}

/** Where the match ends; undefined when there is none. */
function matches(program: Program, matching: Matching, start: number, end?: number): number | undefined {
  const { text } = matching;
  const open: number[] = [0, start];
  while (open.length > 0) {
    let at = open.pop() ?? 0;
    let index = open.pop() ?? 0;
    for (;;) {
      matching.steps++;
      const instruction = program[index];
      if (instruction === undefined || instruction.kind === 'match') {
        if (end === undefined || at === end) return at;
        break;
      }
      if (instruction.kind === 'split') {
        open.push(instruction.second, at);
        index = instruction.first;
      } else if (instruction.kind === 'jump') index = instruction.to;
      else if (instruction.kind === 'edge') {
        if (!holds(instruction.edge, matching, at)) break;
        index++;
      } else if (instruction.kind === 'look') {
        if (looks(instruction, matching, at) === instruction.negated) break;
        index++;
      } else {
        const point = matching.unicode ? text.codePointAt(at) : text.charCodeAt(at);
        if (point === undefined || Number.isNaN(point) || !reads(instruction.set, point, matching)) break;
        at += point > 0xffff ? 2 : 1;
        index++;
      }
    }
  }
  return undefined;
}

function looks(look: Instruction & { kind: 'look' }, matching: Matching, at: number): boolean {
  if (look.ahead) return matches(look.body, matching, at) !== undefined;
  for (let length = 0; length <= Math.min(at, LONGEST_LOOKBEHIND); length++)
    if (matches(look.body, matching, at - length, at) !== undefined) return true;
  return false;
}

function holds(edge: Edge, { text, lines }: Matching, at: number): boolean {
  if (edge === 'start') return at === 0 || (lines && isLineEnd(text[at - 1]));
  if (edge === 'end') return at === text.length || (lines && isLineEnd(text[at]));
  const isWord = (index: number): boolean => index >= 0 && index < text.length && word.has(text.charCodeAt(index));
  return (isWord(at - 1) !== isWord(at)) === (edge === 'word');
}

function isLineEnd(char: string | undefined): boolean {
  return char === '\n' || char === '\r' || char === '\u2028' || char === '\u2029';
}

function reads(set: CharSet, point: number, { ignoreCase, dotAll }: Matching): boolean {
  if (set.has(point) || (dotAll && set === notLineEnd)) return true;
  if (!ignoreCase) return false;
  const char = String.fromCodePoint(point);
  return [char.toLowerCase(), char.toUpperCase()].some((other) => set.has(other.codePointAt(0) ?? 0));
}
