import type { RunEndReason } from './run.ts';

/** The end of a run before the model has said everything. */
export class RunStop extends Error {
  override readonly name = 'RunStop';
  readonly reason: RunEndReason;

  constructor(reason: RunEndReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
