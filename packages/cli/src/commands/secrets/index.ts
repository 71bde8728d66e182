import { resolve } from 'node:path';
import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';

const ls: Command = defineCommand({
  path: ['secrets', 'ls'],
  says: 'List the names of the secrets that are kept.',
  about:
    'Secrets are in the keychain of the operating system, or in an encrypted file where CROSSPOINT_SECRETS_KEY holds its key. Values are never shown.',
  examples: [{ line: 'crosspoint secrets ls', says: 'Names alone.' }],
  prints: '{ secrets: [name], kept: "where they are" }',
  async run(_, { home, io, output }) {
    const { UserSecrets } = await import('../../place/user-secrets.ts');
    const store = new UserSecrets(home, io.env);
    const secrets = await store.names();
    output.result({ secrets, kept: store.describe() }, () => [...secrets, store.describe()].join('\n'));
  },
});

const set: Command = defineCommand({
  path: ['secrets', 'set'],
  says: 'Keep a secret, which configurations name as ${secret:NAME}.',
  about:
    'The value comes from stdin, a file or a variable; never from the command line, which every user of the machine can read.',
  arguments: [{ name: 'name', says: 'its name' }],
  options: {
    from: {
      type: 'text',
      value: '@FILE|env:NAME|-',
      says: 'Where the value is: a file, a variable, or "-" for stdin, as when absent.',
    },
  },
  examples: [{ line: 'pass show github | crosspoint secrets set github', says: 'From a password manager.' }],
  prints: '{ name, kept: "where it is" }',
  async run({ words: [name = ''], options }, { home, io, output }) {
    const { readSecret } = await import('./read-secret.ts');
    if (name.includes(':')) throw new CliError('usage', 'The name of a secret that configurations can use has no ":".');
    const from = options.from?.startsWith('@') === true ? `@${resolve(io.cwd, options.from.slice(1))}` : options.from;
    const value = await readSecret(from ?? '-', io, (message) => output.note(message));
    const { UserSecrets } = await import('../../place/user-secrets.ts');
    const store = new UserSecrets(home, io.env);
    await store.set(name, value);
    output.result({ name, kept: store.describe() }, () => `Kept ${name}. ${store.describe()}`);
  },
});

const rm: Command = defineCommand({
  path: ['secrets', 'rm'],
  says: 'Forget a secret.',
  arguments: [{ name: 'name', says: 'its name' }],
  examples: [{ line: 'crosspoint secrets rm github', says: 'Servers that need it will not start.' }],
  prints: '{ name }',
  async run({ words: [name = ''] }, { home, io, output }) {
    const { UserSecrets } = await import('../../place/user-secrets.ts');
    const store = new UserSecrets(home, io.env);
    if (!(await store.delete(name)))
      throw new CliError('usage', `There is no secret ${JSON.stringify(name)}.`, {
        hint: 'crosspoint secrets ls lists them.',
        mistyped: { word: name, among: await store.names() },
      });
    output.result({ name }, () => `Forgot ${name}.`);
  },
});

export const secrets: readonly Command[] = [ls, set, rm];
