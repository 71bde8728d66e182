import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';

export const status: Command = defineCommand({
  path: ['auth', 'status'],
  says: 'Show whether there is a login for a server. Tokens are never shown.',
  target: 'needed',
  examples: [
    {
      line: 'crosspoint auth status https://example.com/mcp',
      says: 'Issuer, scopes and expiry. Exit code 3 without a login.',
    },
  ],
  prints:
    '{ server, url, isLoggedIn, issuer?, scopes?, expiresAt?: milliseconds since 1970, isExpired?, isRenewable? }',
  endings: ['login'],
  async run({ target }, context) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { addressOf } = await import('./address.ts');
    const { keptLogin } = await import('../../place/logins.ts');
    const { loginFacts, loginText } = await import('./login-facts.ts');
    const { name, reach } = await addressOf(target, context);
    const facts = loginFacts(name, reach.url, await keptLogin(name, reach, context.home).tokens());
    context.output.result(facts, () => loginText(facts));
    const isUsable = facts.isLoggedIn && (facts.isExpired !== true || facts.isRenewable === true);
    return isUsable ? 'ok' : 'login';
  },
});
