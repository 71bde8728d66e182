import { type Budget, spend } from '../budget.ts';
import type { Automaton } from './automaton.ts';
import { word } from './char-set.ts';
import type { Edge } from './pattern-node.ts';

/**
 * Whether the automaton matches anywhere in the text. All alternatives advance together, one code point at a time, so the
 * work is at most (code points × states): nothing in the pattern or the text can make it backtrack.
 */
export function matchesSomewhere(automaton: Automaton, text: string, budget: Budget): boolean {
  spend(budget, text.length);
  const points = toCodePoints(text);
  return simulate(automaton, points, { budget, ends: undefined });
}

interface Mode {
  readonly budget: Budget;
  /** Set to 1 at each position where a match ends; without it the simulation stops at the first match. */
  readonly ends: Uint8Array | undefined;
}

function simulate(automaton: Automaton, points: readonly number[], mode: Mode): boolean {
  const { states, start, backwards, visits } = automaton;
  const looks = automaton.looks.map((look) => matchEnds(look, points, mode.budget));
  let current: number[] = [];
  let following: number[] = [];
  for (let step = 0; step <= points.length; step++) {
    const position = backwards ? points.length - step : step;
    const visit = ++visits.position;
    following.length = 0;
    let matched = false;
    // Every position may begin a match, so the start state joins the states carried over from the last position.
    current.push(start);
    spend(mode.budget, 1);
    for (let index = current.pop(); index !== undefined; index = current.pop()) {
      mode.budget.steps--;
      const state = states[index];
      if (state === undefined || visits.last[index] === visit) continue;
      visits.last[index] = visit;
      if (state.kind === 'match') matched = true;
      else if (state.kind === 'split') current.push(state.other, state.next);
      else if (state.kind === 'edge') {
        if (holds(state.edge, points, position)) current.push(state.next);
      } else if (state.kind === 'look') {
        if ((looks[state.look]?.[position] === 1) !== state.negated) current.push(state.next);
      } else {
        const point = points[backwards ? position - 1 : position];
        if (point !== undefined && state.set.has(point)) following.push(state.next);
      }
    }
    if (matched) {
      if (mode.ends === undefined) return true;
      mode.ends[position] = 1;
    }
    [current, following] = [following, current];
  }
  return false;
}

function matchEnds(automaton: Automaton, points: readonly number[], budget: Budget): Uint8Array {
  const ends = new Uint8Array(points.length + 1);
  simulate(automaton, points, { budget, ends });
  return ends;
}

function holds(edge: Edge, points: readonly number[], position: number): boolean {
  if (edge === 'start') return position === 0;
  if (edge === 'end') return position === points.length;
  return (isWord(points[position - 1]) !== isWord(points[position])) === (edge === 'word');
}

function isWord(point: number | undefined): boolean {
  return point !== undefined && word.has(point);
}

function toCodePoints(text: string): number[] {
  const points: number[] = [];
  for (const char of text) points.push(char.codePointAt(0) ?? 0);
  return points;
}
