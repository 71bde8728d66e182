import { agentPage } from '../../grammar/agent-page.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { loadGroups } from '../../grammar/reference.ts';

export const agentHelp: Command = defineCommand({
  path: ['agent-help'],
  says: 'Print a page for agents that use this command.',
  about: 'Targets, JSON, exit codes, questions of servers, and every command in one line; at most 6,000 bytes.',
  examples: [{ line: 'crosspoint agent-help', says: 'For the instructions of an agent.' }],
  async run(_, { groups, io }) {
    io.stdout.write(agentPage(await loadGroups(groups)));
  },
});
