import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';

export const logout: Command = defineCommand({
  path: ['auth', 'logout'],
  says: 'Forget the login of a server: its tokens and its registered client.',
  about: 'The tokens are deleted here. They stay valid at the authorization server until they expire there.',
  target: 'needed',
  examples: [{ line: 'crosspoint auth logout https://example.com/mcp', says: 'The next command has to log in again.' }],
  prints: '{ server, wasLoggedIn }',
  async run({ target }, context) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { addressOf } = await import('./address.ts');
    const { keptLogin } = await import('../../place/logins.ts');
    const { name: server, reach } = await addressOf(target, context);
    const login = keptLogin(server, reach, context.home);
    const wasLoggedIn = (await login.tokens()) !== undefined;
    await login.invalidateCredentials('all');
    context.output.result({ server, wasLoggedIn }, () =>
      wasLoggedIn ? `${server}: the login is forgotten.` : `${server}: there was no login.`,
    );
  },
});
