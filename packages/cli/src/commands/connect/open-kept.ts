import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { TargetWords } from '../../grammar/command.ts';
import { KeptServer } from '../../keeper/kept-server.ts';
import { KeptRecords, checkKeptName } from '../../keeper/records.ts';
import { startKeeper } from '../../keeper/start-keeper.ts';
import type { ServerFacts } from '../../server/operations.ts';
import { reachKept } from '../../server/server-opener.ts';

interface KeptSettings {
  readonly as: string | undefined;
  readonly idleSeconds: number | undefined;
}

/** Starts a keeper and has it connect. Rejects with the reason where that fails; nothing is left running then. */
export async function openKept(
  target: TargetWords,
  { as, idleSeconds }: KeptSettings,
  context: CommandContext,
): Promise<ServerFacts> {
  const { io, home, reaching, signal, output } = context;
  const name = as ?? nameOf(target);
  checkKeptName(name);
  await new KeptRecords(home.keptFolder).prepare();
  const open = await reachKept(name, home);
  await open?.release();
  if (open !== undefined)
    throw new CliError('usage', `There is already a kept connection "${name}".`, {
      hint: `crosspoint close ${name} ends it; --as gives another name.`,
    });
  const record = await startKeeper({ name, program: io.program, cwd: io.cwd, env: io.env, idleSeconds });
  const server = await KeptServer.reach(record);
  if (server === undefined) throw new CliError('internal', 'The keeper ended before it could be reached.');
  try {
    const request = { target, reaching };
    await context.answered(server, (questions) =>
      server.open(request, {
        signal: questions.signal,
        onevent: (event) => (event.type === 'note' ? output.note(event.text) : questions.onevent(event)),
      }),
    );
    return await server.request('show', {}, { signal });
  } catch (error) {
    await server.end();
    throw error;
  } finally {
    await server.release();
  }
}

/** Only what was configured has a name. */
function nameOf(target: TargetWords): string {
  const name = target.kind === 'word' && !target.word.includes('://') ? (target.word.split('#').at(-1) ?? '') : '';
  if (name !== '' && !name.endsWith('.mcpb')) return name;
  throw new CliError('usage', 'The connection needs a name: add --as NAME.');
}
