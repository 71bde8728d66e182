import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { say } from '../say.mjs';

const url = new URL(`${process.env['SERVER']}/mcp`);

// As any program may that knows HTTP and nothing else: no session, no initialize, an answer in JSON.
const answer = await fetch(url, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 'raw', method: 'tools/list' }),
});
const { id, result } = (await answer.json()) as { id: string; result: { tools: { name: string }[] } };
say('raw', {
  status: answer.status,
  type: answer.headers.get('content-type')?.split(';')[0],
  session: answer.headers.get('mcp-session-id'),
  id,
  tools: result.tools.map(({ name }) => name),
});

const transport = new StreamableHTTPClientTransport(url);
const client = new Client({ name: 'customer', version: '1.0.0' });
await client.connect(transport);
say('server', { info: client.getServerVersion(), session: transport.sessionId ?? null });

const { tools } = await client.listTools();
say(
  'tools',
  tools.map(({ name, title, description, inputSchema, outputSchema }) => ({
    name,
    title,
    description,
    properties: Object.keys(inputSchema.properties ?? {}),
    required: inputSchema.required,
    type: inputSchema.type,
    output: outputSchema && { type: outputSchema.type, required: outputSchema.required },
  })),
);
for (let width = 1; width <= 5; width += 1)
  say('area', (await client.callTool({ name: 'area', arguments: { width, height: 3 } })).structuredContent);
const refused = await client.callTool({ name: 'area', arguments: { width: 'broad', height: 3 } });
say('arguments of another kind', { isError: refused.isError });
const misprint = await client.callTool({ name: 'misprint' });
say('output of another kind', { isError: misprint.isError });

say('resources', (await client.listResources()).resources);
say('templates', (await client.listResourceTemplates()).resourceTemplates);
say('pattern', await client.readResource({ uri: 'pattern://Ada' }));
await client.close();
say('done');
