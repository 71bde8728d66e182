import { defineCommand, type Command } from '../../grammar/command.ts';

export const ls: Command = defineCommand({
  path: ['servers', 'ls'],
  says: 'List the configured servers, and where each comes from.',
  about:
    'The managed file of the machine, your own file, and those of this folder (crosspoint.json and .mcp.json) are read. Nothing is started. Servers of a file of the folder are used when you have trusted it.',
  examples: [{ line: 'crosspoint servers ls', says: 'Name, trust, command or address, and the file.' }],
  prints:
    '{ servers: [{ name, target, warnings, format, scope, file, trust: "own" | "trusted" | "unknown" | "changed", isDisabled, shadowed?: { by?, why } }], problems: [{ severity, message, file, pointer?, line?, column?, server? }] }',
  async run(_, { io, home, output }) {
    const { listServers, serversText } = await import('./listing.ts');
    const listed = await listServers({ home, cwd: io.cwd, env: io.env });
    output.result(listed, () => serversText(listed, home.configFile, output.colours));
    const { problemLine } = await import('@crosspoint/host/config');
    if (!output.isJson) for (const problem of listed.problems) output.note(problemLine(problem));
  },
});
