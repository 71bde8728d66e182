import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Ending } from '../../errors/exit-codes.ts';
import type { KeptServer } from '../../keeper/kept-server.ts';
import { tableText } from '../../output/table.ts';
import { whereKept, withKept } from '../../server/kept-servers.ts';
import type { HeldCallFacts } from '../../server/questions/operations.ts';
import { showResult } from '../tools/show-result.ts';

export async function listCalls(names: readonly string[], { home, output, signal }: CommandContext): Promise<void> {
  const found = await withKept(home, names, async (server) => {
    const { calls } = await server.request('calls.list', {}, { signal });
    return calls.map((call) => ({ connection: server.name, ...call }));
  });
  const calls = found.flat();
  output.result({ calls }, () =>
    calls.length === 0
      ? 'No call goes on, and no result waits.'
      : tableText(calls.map(({ connection, id, tool, state }) => [connection, id, state, JSON.stringify(tool)])),
  );
}

/** Looks for a call on a connection. */
export function callAt(id: string, signal: AbortSignal): (server: KeptServer) => Promise<HeldCallFacts | undefined> {
  return async (server) => {
    const { calls } = await server.request('calls.list', {}, { signal });
    return calls.find((call) => call.id === id);
  };
}

export function noCall(id: string): CliError {
  return new CliError('usage', `No kept connection has a call ${JSON.stringify(id)}.`, {
    hint: 'crosspoint calls ls lists those that go on, and those whose result waits.',
  });
}

export async function waitForCall(id: string, context: CommandContext): Promise<Ending> {
  const found = await whereKept(context.home, callAt(id, context.signal), (_, server) => resultOf(id, server, context));
  if (found === undefined) throw noCall(id);
  return found.done;
}

/** Waits for a call of a kept connection, and prints its result. Its questions are answered meanwhile, or park the call again. */
export async function resultOf(id: string, server: KeptServer, context: CommandContext): Promise<Ending> {
  const { output } = context;
  context.signal.addEventListener('abort', () => output.note(`The call goes on: crosspoint calls wait ${id}`), {
    once: true,
  });
  const result = await context.answered(server, ({ signal, onevent }) =>
    server.request(
      'calls.wait',
      { call: id },
      {
        signal,
        onevent(event) {
          onevent(event);
          if (event.type === 'progress') output.progress(event);
        },
      },
    ),
  );
  return showResult(result, context);
}
