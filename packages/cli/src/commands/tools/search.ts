import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';

export const search: Command = defineCommand({
  path: ['tools', 'search'],
  says: 'Search tools by words, over all kept connections or the named servers.',
  about:
    "The search is the host's own: names, titles, descriptions and arguments of tools, names and instructions of servers; best first. Tools that the policy denies, and definitions that wait to be accepted, are not found. A server that is not kept is opened for the search. Of several servers, those that cannot be searched are listed under failures, and the others are.",
  target: 'command',
  arguments: [{ name: 'word', says: 'what the tool should do, in your words', isMany: true }],
  options: {
    server: {
      type: 'texts',
      value: 'SERVER',
      completes: 'server',
      says: 'Search this server: a name, FILE.json#NAME, an address or FILE.mcpb.',
    },
    all: { type: 'flag', says: 'Search every configured server, too. Those that are not kept are started for it.' },
    limit: {
      type: 'number',
      value: 'NUMBER',
      least: 1,
      most: 50,
      isWhole: true,
      says: 'The most tools that are found; 5 when absent.',
    },
  },
  examples: [
    { line: 'crosspoint tools search rename the branch', says: 'Over all kept connections.' },
    { line: 'crosspoint tools search add numbers --server ev --limit 3', says: 'One server.' },
    {
      line: 'crosspoint tools search echo -- npx -y @modelcontextprotocol/server-everything',
      says: 'A program that is started for it.',
    },
  ],
  prints:
    '{ found: [{ server, score, tool: Tool }], searched: [server], failures: [{ server, ending, exitCode, message }] }; scores order one search and mean nothing across searches',
  async run({ target, words, options }, context) {
    if (target !== undefined && (options.server.length > 0 || options.all))
      throw new CliError('usage', 'A command after "--" is searched alone: give neither --server nor --all.');
    if (options.all && options.server.length > 0)
      throw new CliError('usage', '--all and --server exclude each other. Give one of them.');
    const { searchTools } = await import('./searching.ts');
    const { server: servers, all, limit } = options;
    await searchTools(words.join(' '), { target, servers, all, limit }, context);
  },
});
