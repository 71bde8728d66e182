import * as z from 'zod/v4';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const server = new McpServer(
  { name: 'kitchen', version: '0.9.0', title: 'The kitchen', websiteUrl: 'https://kitchen.example/' },
  { instructions: 'Ask for a dish by its name.' },
);

server.registerTool('cook', { inputSchema: { dish: z.string() } }, ({ dish }) => ({
  content: [{ type: 'text', text: `One ${dish}, coming up` }],
}));
server.registerTool('env', {}, () => ({ content: [{ type: 'text', text: process.env['KITCHEN_MOOD'] ?? 'unset' }] }));
server.registerTool('forecast', { inputSchema: { city: z.string() } }, async ({ city }) => {
  const answer = await fetch(`${process.env['FORECAST_URL']}?city=${encodeURIComponent(city)}`);
  const { degrees } = (await answer.json()) as { degrees: number };
  return { content: [{ type: 'text', text: `${degrees} degrees in ${city}` }] };
});
server.registerTool('menu', { description: 'Where to read on' }, () => ({
  content: ['soup', 'stew'].map((dish) => ({
    type: 'resource_link' as const,
    uri: `kitchen://dishes/${dish}`,
    name: dish,
    mimeType: 'text/plain',
    description: `How ${dish} is made`,
  })),
}));

console.error('the kitchen is open');
await server.connect(new StdioServerTransport());
