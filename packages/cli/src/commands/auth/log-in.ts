import { auth, AuthFlowError } from 'crosspoint/auth';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import { cliErrorOf } from '../../errors/cli-error-of.ts';
import { loginOf } from '../../place/logins.ts';
import type { AddressServer } from './address.ts';
import { loginFacts, type LoginFacts } from './login-facts.ts';

/** Logs in, and returns what is known of the login. Rejects with the reason where that was not possible. */
export async function logIn(
  { name, reach }: AddressServer,
  { scopes, isForced }: { readonly scopes: readonly string[]; readonly isForced: boolean },
  { home, io, output, globals, signal }: CommandContext,
): Promise<LoginFacts> {
  const provider = loginOf(name, reach, home, {
    noBrowser: globals['no-browser'],
    say: (text) => output.fault(text),
    signal,
    mayPaste: io.stdin.isTTY,
  });
  const before = await provider.tokens();
  const isGood = before !== undefined && (before.expires_at === undefined || before.expires_at > Date.now());
  if (isGood && !isForced && scopes.length === 0) return loginFacts(name, reach.url, before);
  try {
    await auth(provider, {
      serverUrl: reach.url,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      forceReauthorization: isForced || scopes.length > 0,
    });
  } catch (error) {
    const why = cliErrorOf(error);
    const ending = error instanceof AuthFlowError ? 'login' : why.ending === 'internal' ? 'unreachable' : why.ending;
    throw new CliError(ending, why.message, { hint: 'crosspoint auth debug SERVER shows each step.', cause: error });
  }
  return loginFacts(name, reach.url, await provider.tokens());
}
