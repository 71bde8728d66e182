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
  const { Dialog, LeftError } = await import('./dialog.ts');
  const dialog = new Dialog(io, signal);
  try {
    const answer = await dialog.ask(`${question} [y/N]`).catch((error: unknown) => {
      if (error instanceof LeftError) return '';
      throw error;
    });
    if (!/^y(?:es)?$/i.test(answer)) throw new CliError('denied', 'You did not say yes, so nothing was done.');
  } finally {
    dialog.close();
  }
}
