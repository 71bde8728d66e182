import { type Budget, spend } from '../budget.ts';
import { SchemaError } from '../schema-error.ts';
import { AutomatonTooLarge, buildAutomaton, patternRoom, type PatternRoom, takeRoomForText } from './automaton.ts';
import { backtrackingBound } from './backtracking-bound.ts';
import { parsePattern } from './parse-pattern.ts';
import { matchesSomewhere } from './run-automaton.ts';

export type PatternMatcher = (text: string, budget: Budget) => boolean;

export const maxPatternLength = 10_000;
/** The most ways to try a pattern for which the engine's own matcher is used, and the most characters that all of them may compare. */
const maxPaths = 10_000;
const maxComparisons = 200_000;
/** Binary logarithm of the characters (64) that the engine compares in the time of one step. */
const comparisonsPerStepLog = 6;

/**
 * A matcher whose time is bounded for every pattern and text. The engine's backtracking matcher is used where the pattern's
 * shape proves that few ways to match exist for a text of that length; everything else runs on an automaton.
 */
export function compilePattern(pattern: string, room: PatternRoom = patternRoom()): PatternMatcher {
  if (pattern.length > maxPatternLength)
    throw new SchemaError('too-complex', `a \`pattern\` is longer than ${maxPatternLength} characters`);
  try {
    takeRoomForText(pattern, room);
    const node = parsePattern(pattern);
    const automaton = buildAutomaton(node, room);
    const bound = backtrackingBound(node);
    const engine = bound === undefined ? undefined : engineMatcher(pattern);
    if (bound === undefined || engine === undefined) return (text, budget) => matchesSomewhere(automaton, text, budget);
    return (text, budget) => {
      const paths = bound.factor * (text.length + 1) ** bound.degree;
      const comparisons = paths * Math.min(automaton.states.length, text.length + 1);
      if (paths > maxPaths || comparisons > maxComparisons) return matchesSomewhere(automaton, text, budget);
      spend(budget, 1 + (comparisons >> comparisonsPerStepLog));
      return engine.test(text);
    };
  } catch (error) {
    if (error instanceof AutomatonTooLarge)
      throw new SchemaError(
        'too-complex',
        `with pattern ${quote(pattern)} the patterns of the schema are too large: shorten them, or lower the counts of their repetitions`,
      );
    const reason = error instanceof Error ? error.message : String(error);
    throw new SchemaError('invalid-schema', `pattern ${quote(pattern)} is not supported: ${reason}`, { cause: error });
  }
}

/** The engine's matcher; undefined for patterns that only our more lenient grammar accepts. */
function engineMatcher(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return undefined;
  }
}

function quote(pattern: string): string {
  return JSON.stringify(pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern);
}
