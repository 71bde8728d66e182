import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import { cliErrorOf } from '../../errors/cli-error-of.ts';
import type { Ending } from '../../errors/exit-codes.ts';
import type { TargetWords } from '../../grammar/command.ts';
import type { BridgeValues } from './bridge-options.ts';

/** Milliseconds for what is left when the bridge has ended, before the process ends with it. */
const REST_MS = 2000;

/** Serves a bridge until its client leaves or a signal comes; both are a normal end. `record`: the session file that is written. */
export async function serve(
  words: TargetWords | undefined,
  values: BridgeValues,
  context: CommandContext,
  record: string | undefined,
): Promise<Ending> {
  if (words === undefined) throw new CliError('usage', 'The server is missing.');
  const { io, globals, signal } = context;
  try {
    const { readBridge } = await import('./read-bridge.ts');
    const bridge = readBridge(values);
    if (bridge.face.kind === 'stdio' && !values.stdio && io.stdin.isTTY)
      throw new CliError('usage', 'stdin is a terminal, and no client.', {
        hint: 'Add --listen 127.0.0.1:3000 for HTTP, or --stdio to type messages.',
      });
    const { bridgeServer } = await import('./bridge-target.ts');
    const { target, revisions, secrets } = await bridgeServer(words, values, context);
    const { serveBridge } = await import('@crosspoint/gateway/program');
    const log = bridge.log ?? (globals.quiet ? 'quiet' : undefined);
    await serveBridge({ ...bridge, target, revisions, record, log }, { signal, secrets });
  } catch (error) {
    throw cliErrorOf(error);
  }
  // A process of the server that does not end, and whatever else is left, ends with this one.
  setTimeout(() => process.exit(), REST_MS).unref();
  const { reason } = signal as { readonly reason?: unknown };
  return reason instanceof CliError && reason.ending === 'timeout' ? 'timeout' : 'ok';
}
