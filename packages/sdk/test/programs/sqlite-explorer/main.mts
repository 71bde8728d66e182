import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { say } from '../say.mjs';

const client = new Client({ name: 'watcher', version: '1.0.0' });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL('server.mjs', import.meta.url))],
  }),
);
say('resources', (await client.listResources()).resources);
say('schema', (await client.readResource({ uri: 'schema://main' })).contents);
// What a tool promises is checked from here on.
await client.listTools();
const query = (sql: string): Promise<unknown> => client.callTool({ name: 'query', arguments: { sql } });
say('rows', await query('SELECT * FROM birds ORDER BY name'));
say('none', await query("SELECT * FROM birds WHERE name = 'dodo'"));
say('wrong', await query('SELECT * FROM fish'));
await client.close();
say('done');
