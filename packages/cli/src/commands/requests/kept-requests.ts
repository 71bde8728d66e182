import { describeItem, type InboxItem } from '@crosspoint/host';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { KeptServer } from '../../keeper/kept-server.ts';
import { tableText } from '../../output/table.ts';
import { whereKept, withKept } from '../../server/kept-servers.ts';

export async function listRequests(names: readonly string[], { home, output, signal }: CommandContext): Promise<void> {
  const found = await withKept(home, names, async (server) => {
    const { requests: items } = await server.request('requests.list', {}, { signal });
    return items.map((item) => ({ item, connection: server.name }));
  });
  const sorted = found.flat().sort((one, other) => one.item.askedAt - other.item.askedAt);
  const requests = sorted.map(({ item, connection }) => ({
    connection,
    id: item.id,
    kind: item.kind,
    title: describeItem(item).title,
    ...(item.from.call !== undefined && { call: item.from.call }),
    askedAt: new Date(item.askedAt).toISOString(),
    expiresAt: new Date(item.expiresAt).toISOString(),
  }));
  output.result({ requests }, () =>
    requests.length === 0
      ? 'No question waits.'
      : tableText(requests.map(({ connection, id, kind, title }) => [connection, id, kind, title])),
  );
}

/** Does the work with a question and its connection. Rejects where no kept connection has it. */
export async function withRequest<T>(
  id: string,
  { home, signal }: CommandContext,
  work: (item: InboxItem, server: KeptServer) => Promise<T>,
): Promise<T> {
  const find = async (server: KeptServer): Promise<InboxItem | undefined> => {
    const { requests } = await server.request('requests.list', {}, { signal });
    return requests.find((item) => item.id === id);
  };
  const found = await whereKept(home, find, work);
  if (found !== undefined) return found.done;
  throw new CliError(
    'usage',
    `No question ${JSON.stringify(id)} waits: it was answered, withdrawn or given up, or never asked.`,
    {
      hint: 'crosspoint requests ls lists those that wait.',
    },
  );
}

export async function showRequest(id: string, context: CommandContext): Promise<void> {
  const { output } = context;
  await withRequest(id, context, async (item, { name: connection }) => {
    const { title, lines } = describeItem(item);
    const times = { askedAt: new Date(item.askedAt).toISOString(), expiresAt: new Date(item.expiresAt).toISOString() };
    output.result({ connection, ...item, ...times, title, lines }, () =>
      [output.colours.bold(title), ...lines.map((line) => `  ${line}`)].join('\n'),
    );
  });
}
