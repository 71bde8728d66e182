import { CliError } from '../errors/cli-error.ts';
import type { Ending } from '../errors/exit-codes.ts';
import type { OpenServer } from './open-server.ts';
import type { OperationEvent, OperationName, ParamsOf } from './operations.ts';

export interface Following {
  /** Ends it after so many events that were taken; by Ctrl-C alone when absent. */
  readonly count: number | undefined;
  /** Takes an event; `false` for one that does not count. */
  readonly take: (event: OperationEvent) => boolean;
}

/** Carries out an operation that tells events until it is cancelled. */
export async function follow<Name extends OperationName>(
  server: OpenServer,
  operation: Name,
  params: ParamsOf<Name>,
  { count = Infinity, take }: Following,
): Promise<void> {
  const over = new AbortController();
  let taken = 0;
  await server.request(operation, params, {
    signal: over.signal,
    onevent(event) {
      if (taken >= count || !take(event)) return;
      taken += 1;
      if (taken >= count) over.abort(new Error('It has told as much as was asked for.'));
    },
  });
}

/** Work whose normal end is Ctrl-C or a signal, once it has called `began`. */
export async function untilInterrupted(
  signal: AbortSignal,
  work: (began: () => void) => Promise<void>,
): Promise<Ending> {
  let hasBegun = false;
  try {
    await work(() => void (hasBegun = true));
  } catch (error) {
    const { reason } = signal as { readonly reason?: unknown };
    const isInterrupted = signal.aborted && reason instanceof CliError && reason.ending === 'interrupted';
    if (!hasBegun || !isInterrupted) throw error;
  }
  return 'ok';
}
