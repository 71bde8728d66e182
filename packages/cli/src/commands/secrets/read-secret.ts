import { text } from 'node:stream/consumers';
import { SourceReader } from '@crosspoint/gateway/program';
import { CliError } from '../../errors/cli-error.ts';
import type { Io } from '../../output/io.ts';

/** The value of a secret: from a file (`@FILE`), a variable (`env:NAME`) or stdin (`-`). A line end at its end is not part of it. */
export async function readSecret(
  from: string,
  { stdin, env, isShared }: Pick<Io, 'stdin' | 'env' | 'isShared'>,
  warn: (message: string) => void,
): Promise<string> {
  const reader = new SourceReader(env, warn);
  if (from.startsWith('@')) return reader.read('--from', { from: 'file', path: from.slice(1) });
  if (from.startsWith('env:')) return reader.read('--from', { from: 'environment', name: from.slice('env:'.length) });
  if (from !== '-') throw new CliError('usage', '--from must be @FILE, env:NAME or "-".');
  if (isShared === true)
    throw new CliError('usage', 'stdin belongs to the shell, so no secret is read from it.', {
      hint: 'Use --from @FILE or --from env:NAME.',
    });
  if (stdin.isTTY)
    throw new CliError('usage', 'The secret is read from stdin, which is a terminal that would show it.', {
      hint: 'Pipe it in, or use --from @FILE.',
    });
  const value = (await text(stdin)).replace(/\r?\n$/, '');
  if (value === '') throw new CliError('usage', 'stdin is empty.');
  return value;
}
