import { DatabaseSync } from '@photostructure/sqlite';
import * as z from 'zod/v4';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const database = new DatabaseSync(':memory:');
database.exec('CREATE TABLE birds (name TEXT NOT NULL, wings INTEGER)');
database.exec("INSERT INTO birds VALUES ('wren', 2), ('kiwi', NULL)");

const server = new McpServer({ name: 'aviary', version: '1.0.0' });

server.registerResource(
  'schema',
  'schema://main',
  { title: 'Tables', description: 'How the tables were made', mimeType: 'application/sql' },
  async (uri) => {
    const tables = database.prepare("SELECT sql FROM sqlite_master WHERE type = 'table'").all() as { sql: string }[];
    return {
      contents: [{ uri: uri.href, mimeType: 'application/sql', text: tables.map(({ sql }) => sql).join(';\n') }],
    };
  },
);

server.registerTool(
  'query',
  {
    title: 'Query',
    inputSchema: { sql: z.string() },
    outputSchema: { rows: z.array(z.record(z.string(), z.any())), rowCount: z.number() },
  },
  async ({ sql }) => {
    try {
      const rows = database.prepare(sql).all() as Record<string, unknown>[];
      const found = { rows, rowCount: rows.length };
      return { content: [{ type: 'text', text: JSON.stringify(found) }], structuredContent: found };
    } catch (error) {
      return { content: [{ type: 'text', text: `It did not work: ${(error as Error).message}` }], isError: true };
    }
  },
);

await server.connect(new StdioServerTransport());
