import { createInterface } from 'node:readline/promises';
import { CliError } from '../errors/cli-error.ts';
import type { Io } from '../output/io.ts';

export interface ConfirmPlace {
  readonly io: Pick<Io, 'stdin' | 'stderr'>;
  readonly signal: AbortSignal;
  /** The remedy where there is no terminal: the option that says yes. */
  readonly hint: string;
}

/** Whether a person is at the terminal. */
export function isTerminal({ stdin, stderr }: ConfirmPlace['io']): boolean {
  return stdin.isTTY && stderr.isTTY;
}

/** Asks the user for a yes. Rejects with `denied` for everything else, and where there is no terminal. */
export async function confirm(question: string, { io, signal, hint }: ConfirmPlace): Promise<void> {
  if (!isTerminal(io))
    throw new CliError('denied', `${question} Nobody is here to say yes, so nothing was done.`, { hint });
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal });
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new CliError('denied', 'You did not say yes, so nothing was done.');
  } finally {
    lines.close();
  }
}
