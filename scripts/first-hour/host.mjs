// A host such as an editor: reads a configuration, starts or reaches the server that it names, and calls a tool. It is made of the official SDK,
// as most hosts are.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const DEADLINE_MS = 30_000;

/**
 * Uses each server of a configuration as the host in `folder` does.
 * @param {object} configuration of Claude Desktop, Claude Code, Cursor (`mcpServers`) or VS Code (`servers`)
 * @param {{ folder: string, replace?: (text: string) => string }} host `replace` stands for what the reader fills in
 */
export async function useConfiguration(configuration, { folder, replace = (text) => text }) {
  const entries = Object.values(configuration.mcpServers ?? configuration.servers ?? {});
  if (entries.length === 0) throw new Error('The configuration names no server.');
  const fill = (text) => replace(text.replaceAll('${workspaceFolder}', folder));
  for (const { url, command, args } of entries) {
    const transport =
      url === undefined
        ? new StdioClientTransport({ command, args: args.map(fill), cwd: folder, stderr: 'pipe' })
        : new StreamableHTTPClientTransport(new URL(fill(url)));
    await greetedBy(transport);
  }
}

async function greetedBy(transport) {
  const client = new Client({ name: 'editor', version: '1.0.0' });
  try {
    await client.connect(transport, { timeout: DEADLINE_MS });
    const { content } = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
    if (content[0]?.text !== 'Hello, Ada!') throw new Error(`The tool answered ${JSON.stringify(content)}.`);
  } finally {
    await client.close();
  }
}
