import { defineCommand, type Command } from '../../grammar/command.ts';
import { KeptRecords } from '../../keeper/records.ts';
import { tableText } from '../../output/table.ts';
import { reachKept } from '../../server/server-opener.ts';

export const ls: Command = defineCommand({
  path: ['ls'],
  says: 'List the kept connections.',
  about: 'In a shell, also the connections of the shell itself.',
  examples: [{ line: 'crosspoint ls', says: 'Names, what each speaks, and the questions that wait there.' }],
  prints: '{ connections: [{ name, target, family, revision, since, requests: [id] }] }',
  async run(_, { home, output, signal, held }) {
    const records = [...(held?.list() ?? []), ...(await new KeptRecords(home.keptFolder).list())];
    const found = await Promise.all(
      records.map(async ({ name, since }) => {
        const server = held?.get(name) ?? (await reachKept(name, home).catch(() => undefined));
        if (server === undefined) return undefined;
        const [{ target, family, revision }, { requests }] = await Promise.all([
          server.request('show', {}, { signal }),
          server.request('requests.list', {}, { signal }),
        ]);
        await server.release();
        return { name, target, family, revision, since, requests: requests.map(({ id }) => id) };
      }),
    );
    const connections = found.filter((one) => one !== undefined);
    output.result({ connections }, () =>
      connections.length === 0
        ? 'No connection is kept. crosspoint connect opens one.'
        : tableText(
            connections.map(({ name, revision, target, requests }) => [
              name,
              revision,
              requests.length === 0 ? '' : `${requests.length} waiting`,
              target,
            ]),
          ),
    );
  },
});
