/** The steps that a validation may still take. One object is shared by everything that happens during one validation. */
export interface Budget {
  steps: number;
}

/** Ends a validation whose budget is used up. Never leaves `schema/`: it becomes an issue in the result. */
export class TooComplex extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'TooComplex';
  }
}

const tooMuchWork =
  'the value takes too much work to check against this schema. Send a smaller value, or simplify the schema: fewer alternatives, patterns and unique items.';

export function spend(budget: Budget, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) throw new TooComplex(tooMuchWork);
}
