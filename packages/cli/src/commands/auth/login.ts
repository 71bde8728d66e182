import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';

export const login: Command = defineCommand({
  path: ['auth', 'login'],
  says: 'Log in to a server with OAuth, in the browser.',
  about:
    'The page is opened in the browser; with --no-browser, or on a machine without one, its address is printed, and the address that the browser ends at can be pasted. The login is kept in a file that only you can read, and renewed by itself.',
  target: 'needed',
  options: {
    scope: { type: 'texts', value: 'SCOPE', says: 'Ask for this right as well.' },
    force: { type: 'flag', says: 'Log in anew, also where there is a login.' },
  },
  examples: [
    { line: 'crosspoint auth login https://example.com/mcp', says: 'Opens the browser and waits for the answer.' },
    { line: 'crosspoint auth login docs --no-browser', says: 'Prints the address of the page.' },
  ],
  prints:
    '{ server, url, isLoggedIn, issuer?, scopes?, expiresAt?: milliseconds since 1970, isExpired?, isRenewable? }',
  async run({ target, options }, context) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { addressOf } = await import('./address.ts');
    const { logIn } = await import('./log-in.ts');
    const server = await addressOf(target, context);
    const facts = await logIn(server, { scopes: options.scope, isForced: options.force }, context);
    const { loginText } = await import('./login-facts.ts');
    context.output.result(facts, () => loginText(facts));
  },
});
