import type { Tool } from 'crosspoint/client';
import { Catalogue, visibleLine, visibleText } from '@crosspoint/host';
import { ToolSearch } from '@crosspoint/host/search';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import { cliErrorOf } from '../../errors/cli-error-of.ts';
import type { TargetWords } from '../../grammar/command.ts';
import { KeptRecords } from '../../keeper/records.ts';
import type { ResultOf } from '../../server/operations.ts';
import { readUserConfiguration } from '../../target/user-configuration.ts';
import { firstLine, signatureText } from './tools-text.ts';

interface WantedSearch {
  readonly target: TargetWords | undefined;
  readonly servers: readonly string[];
  readonly all: boolean;
  readonly limit: number | undefined;
}

interface Searched extends ResultOf<'tools.searchable'> {
  readonly server: string;
}

/** Servers that are opened at the same time. */
const AT_ONCE = 4;

/** Searches one index of all tools, so that those of several servers can be compared. */
export async function searchTools(query: string, wanted: WantedSearch, context: CommandContext): Promise<void> {
  const { output } = context;
  const targets = await targetsOf(wanted, context);
  const { searched, failures } = await gathered(targets, context);
  const [first] = failures;
  // A server that was named has to be searched; of those that merely happen to be there, one must be left.
  if (first !== undefined && (searched.length === 0 || wanted.servers.length > 0)) throw first.error;
  const found = await ranked(query, searched, wanted.limit);
  const told = {
    found,
    searched: searched.map(({ server }) => server),
    failures: failures.map(({ server, error: { ending, exitCode, message } }) => ({
      server,
      ending,
      exitCode,
      message,
    })),
  };
  for (const { server, message } of told.failures)
    output.note(`${visibleLine(server)} was not searched: ${visibleText(message)}`);
  const isOne = searched.length === 1;
  output.result(told, () =>
    found.length === 0
      ? `Nothing fits among the tools of ${told.searched.map(visibleLine).join(', ')}.`
      : found.map(({ server, tool }) => foundText(server, tool, isOne, output.colours)).join('\n'),
  );
}

function foundText(server: string, tool: Tool, isOne: boolean, colours: CommandContext['output']['colours']): string {
  const place = isOne ? '' : `${colours.dim(visibleLine(server))} `;
  return `${place}${signatureText(tool, colours)}${firstLine(tool, colours)}`;
}

async function targetsOf(
  { target, servers, all }: WantedSearch,
  { home, io }: CommandContext,
): Promise<readonly TargetWords[]> {
  if (target !== undefined) return [target];
  const word = (one: string): TargetWords => ({ kind: 'word', word: one });
  if (servers.length > 0) return [...new Set(servers)].map(word);
  const kept = (await new KeptRecords(home.keptFolder).list()).map(({ name }) => name);
  const { entries } = all ? await readUserConfiguration({ home, cwd: io.cwd, env: io.env }) : { entries: [] };
  const configured = entries.filter(({ isDisabled }) => isDisabled !== true).map(({ name }) => name);
  const names = [...new Set([...kept, ...configured])];
  if (names.length > 0) return names.map(word);
  throw new CliError('usage', all ? 'No server is kept or configured.' : 'No connection is kept.', {
    hint: '--server SERVER searches one server, --all every configured one; crosspoint connect keeps a connection.',
  });
}

interface Failure {
  readonly server: string;
  readonly error: CliError;
}

async function gathered(
  targets: readonly TargetWords[],
  { withServer, signal }: CommandContext,
): Promise<{ readonly searched: readonly Searched[]; readonly failures: readonly Failure[] }> {
  const searched: Searched[] = [];
  const failures: Failure[] = [];
  const left = targets.values();
  const next = async (): Promise<void> => {
    for (const target of left) {
      signal.throwIfAborted();
      try {
        const one = await withServer(target, async (server) => ({
          server: server.name,
          ...(await server.request('tools.searchable', {})),
        }));
        const isTwice = searched.some(({ server }) => server === one.server);
        searched.push(isTwice ? { ...one, server: wordOf(target) } : one);
      } catch (error) {
        failures.push({ server: wordOf(target), error: cliErrorOf(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  signal.throwIfAborted();
  return { searched: searched.toSorted((one, other) => (one.server < other.server ? -1 : 1)), failures };
}

const wordOf = (target: TargetWords): string => (target.kind === 'word' ? target.word : target.command);

interface Found {
  readonly server: string;
  readonly score: number;
  readonly tool: Tool;
}

/** The ranking of the host over a catalogue of these servers. Their own hosts have said already which tools are not found. */
async function ranked(query: string, searched: readonly Searched[], limit: number | undefined): Promise<Found[]> {
  const catalogue = new Catalogue();
  const hidden = new Set<string>();
  for (const { server, tools, instructions, hidden: names } of searched) {
    const lists = { tools, prompts: [], resources: [], templates: [] };
    catalogue.set(server, { ...lists, ...(instructions !== undefined && { instructions }) });
    for (const name of names) hidden.add(JSON.stringify([server, name]));
  }
  const search = new ToolSearch({
    catalogue,
    policy: {},
    approvals: {
      look: ({ server, tool }) =>
        Promise.resolve({ seen: hidden.has(JSON.stringify([server, tool.name])) ? 'changed' : 'same', changes: [] }),
    },
    servers: { get: () => undefined },
  });
  try {
    const found = await search.search(query, { limit });
    return found.map(({ score, tool: { server, tool } }) => ({ server, score, tool }));
  } finally {
    search.close();
  }
}
