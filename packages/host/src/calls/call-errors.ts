import type { Decision } from '../consent/decision.ts';

/** There is no tool of that name. Nothing was called. */
export class UnknownToolError extends Error {
  override readonly name: string = 'UnknownToolError';
  readonly tool: string;
  /** Names in the catalogue that look alike. None of them was called. */
  readonly suggestions: readonly string[];

  constructor(tool: string, suggestions: readonly string[]) {
    const hint = suggestions.length > 0 ? ` Similar names: ${suggestions.join(', ')}.` : '';
    super(`There is no tool ${JSON.stringify(tool)}, so nothing was called.${hint}`);
    this.tool = tool;
    this.suggestions = suggestions;
  }
}

/** A call that the policy or the user refused. Nothing was sent to the server. */
export class CallDeniedError extends Error {
  override readonly name: string = 'CallDeniedError';
  readonly tool: string;
  readonly decision: Decision;
  /** `policy`: a rule. `user`: the user, or nobody answered in time. */
  readonly by: 'policy' | 'user';

  constructor(
    tool: string,
    decision: Decision,
    refusal: { readonly by: 'policy' | 'user'; readonly message?: string | undefined },
  ) {
    const why = refusal.message ?? (refusal.by === 'user' ? 'The user did not allow it.' : reasonOf(decision));
    super(`The call of ${tool} was refused: ${why}`);
    this.tool = tool;
    this.decision = decision;
    this.by = refusal.by;
  }
}

/** A result that the user kept from the model. The tool has run. */
export class ResultWithheldError extends Error {
  override readonly name: string = 'ResultWithheldError';
  readonly tool: string;

  constructor(tool: string, message: string | undefined) {
    super(`The result of ${tool} was withheld: ${message ?? 'the user did not release it.'} The tool has run.`);
    this.tool = tool;
  }
}

function reasonOf({ reasons }: Decision): string {
  return reasons.findLast(({ effect }) => effect === 'deny')?.text ?? 'the policy denies it.';
}
