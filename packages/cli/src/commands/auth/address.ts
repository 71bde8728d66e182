import type { HttpReach } from '@crosspoint/host/config';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import { cliErrorOf } from '../../errors/cli-error-of.ts';
import type { TargetWords } from '../../grammar/command.ts';
import { resolveTarget } from '../../target/resolve-target.ts';

/** A server at an address, with its final values: only such a one has a login. */
export interface AddressServer {
  readonly name: string;
  readonly reach: HttpReach;
}

export async function addressOf(target: TargetWords, context: CommandContext): Promise<AddressServer> {
  const { home, io, output, reaching } = context;
  const place = { home, cwd: io.cwd, env: io.env, warn: (text: string) => output.note(text) };
  const { entry, reach } = await resolveTarget(target, reaching, place).catch((error: unknown) => {
    throw cliErrorOf(error);
  });
  if (reach.type === 'http' || reach.type === 'sse') return { name: entry.name, reach };
  throw new CliError('usage', `The server "${entry.name}" is a program, which nobody logs in to.`, {
    hint: 'Its secrets are variables: --env NAME=env:OTHER, or "env" in its configuration.',
  });
}
