import { visibleLine } from '../values/visible-text.ts';

/** One fault of a policy. `pointer` is the JSON pointer of the place. */
export interface PolicyProblem {
  readonly pointer: string;
  readonly message: string;
}

const SHOWN = 10;

/** A policy that cannot be used. Nothing of it is: a rule that is left out could be the one that denies. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  readonly problems: readonly PolicyProblem[];

  constructor(problems: readonly PolicyProblem[]) {
    const lines = problems.slice(0, SHOWN).map(({ pointer, message }) => `${visibleLine(pointer) || '/'}: ${message}`);
    const more = problems.length > SHOWN ? [`and ${problems.length - SHOWN} more`] : [];
    super(`The policy cannot be used:\n${[...lines, ...more].join('\n')}`);
    this.problems = problems;
  }
}
