import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { KeptRecords } from '../../keeper/records.ts';
import { reachKept } from '../../server/server-opener.ts';

export const close: Command = defineCommand({
  path: ['close'],
  says: 'End kept connections.',
  about:
    'The server is told, its process ends, and so does the keeper. In a shell, a connection of the shell itself is ended, and opened anew when it is named again.',
  arguments: [{ name: 'name', says: 'the connections to end', isOptional: true, isMany: true, completes: 'kept' }],
  options: { all: { type: 'flag', says: 'End every kept connection.' } },
  examples: [
    { line: 'crosspoint close ev', says: 'Ends one.' },
    { line: 'crosspoint close --all', says: 'Ends all.' },
  ],
  prints: '{ closed: [name] }',
  async run({ words, options }, { home, output, held }) {
    const records = [...(held?.list() ?? []), ...(await new KeptRecords(home.keptFolder).list())];
    const kept = [...new Set(records.map(({ name }) => name))];
    if (words.length === 0 && !options.all)
      throw new CliError('usage', 'NAME is missing.', { hint: 'Name the connections to end, or use --all.' });
    const missing = words.find((name) => !kept.includes(name));
    if (missing !== undefined)
      throw new CliError('usage', `There is no kept connection ${JSON.stringify(missing)}.`, {
        hint: 'crosspoint ls lists them.',
        mistyped: { word: missing, among: kept },
      });
    const closed = options.all ? kept : [...new Set(words)];
    await Promise.all(closed.map(async (name) => Promise.all([held?.end(name), (await reachKept(name, home))?.end()])));
    output.result({ closed }, () => (closed.length === 0 ? 'Nothing was kept.' : `Ended: ${closed.join(', ')}`));
  },
});
