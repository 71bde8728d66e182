import { defineCommand, type Command } from '../../grammar/command.ts';
import { BRIDGE_OPTIONS } from './bridge-options.ts';
import { serve } from './serve.ts';

export const bridge: Command = defineCommand({
  path: ['bridge'],
  says: 'Put a bridge before a server: any client to any server, over stdio or HTTP, whatever revision each of them speaks.',
  about:
    'Without --listen the bridge talks over stdin and stdout, for a client that starts it; with it, over HTTP. On any interface but a loopback one callers have to say who they are (--issuer, --introspection or --token-file); without that, all callers are one. A server that is a program has a process for each caller. The end of its client and a signal are a normal end, with exit code 0.',
  target: 'needed',
  targetOptions: ['family', 'revision', 'header', 'env', 'cwd'],
  options: {
    ...BRIDGE_OPTIONS,
    record: {
      type: 'text',
      value: 'FILE',
      completes: 'file',
      says: 'Write what passes into a session file, without secrets.',
    },
  },
  examples: [
    {
      line: 'crosspoint bridge https://mcp.example.com/mcp --login',
      says: 'A server of the network for a client that only starts programs.',
    },
    {
      line: 'crosspoint bridge --listen 127.0.0.1:3000 -- npx -y @modelcontextprotocol/server-everything',
      says: 'A program as an HTTP server for this machine.',
    },
    {
      line: 'crosspoint bridge --listen 127.0.0.1:3000 --env GITHUB_TOKEN=@/run/secrets/github -- github-mcp-server stdio',
      says: 'With a secret that the server needs, from a file.',
    },
    {
      line: 'crosspoint bridge files --listen 127.0.0.1:3000/mcp --issuer https://login.example.com --audience https://mcp.example.com/mcp',
      says: 'A configured server for others, behind a proxy with TLS that passes https://mcp.example.com/mcp on.',
    },
  ],
  run: ({ target, options }, context) => serve(target, options, context, options.record),
});
