/** A server as the shell tells of it. */
interface OpenServer {
  readonly name: string;
  readonly revision: string;
  readonly family: string;
  readonly tools: number;
}

export function firstLine(hasTerminal: boolean): string {
  const then = hasTerminal ? 'leaves a prompt for all of them' : 'serves them until it is interrupted';
  return `Crosspoint: starts the example servers, tours one of them in every revision of the Model Context Protocol, and ${then}. Ctrl-C ends it.`;
}

/** Everything that is open, and what to do with it. The last line says what to try next. */
export function readyText(servers: readonly OpenServer[], origin: string, hasTerminal: boolean): string {
  const rows = servers.map(({ name, revision, family, tools }) => {
    const speaks = `${revision} (${family} family)`;
    return `  ${name.padEnd(16)} ${speaks.padEnd(32)} ${tools} ${tools === 1 ? 'tool' : 'tools'}`;
  });
  return `
Ready. One host is connected to ${servers.length} servers:

${rows.join('\n')}

Connect any other MCP client to

  ${origin}/mcp     every revision with Streamable HTTP
  ${origin}/sse     the oldest revision (HTTP+SSE)
  stdio                         node examples/dist/demo-server/stdio.js

The servers are in examples/, the program is examples/start/main.ts. Stop with Ctrl-C.

${hasTerminal ? TRY_HERE : tryElsewhere(origin)}`;
}

const TRY_HERE =
  'Each line is a command of crosspoint. Try: tools ls explorer, then tools call explorer query sql="select * from songs", then help; the tab key completes, exit ends.';

const tryElsewhere = (origin: string): string =>
  `Try next, in another terminal: node packages/cli/bin/crosspoint.mjs tools call ${origin}/mcp add a=2 b=40`;
