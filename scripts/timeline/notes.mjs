// A server over stdio that asks, tells everything to stderr, and can be made to crash.
import { McpServer, text } from 'crosspoint/server';
import { serveStdio } from 'crosspoint/server/stdio';
import { z } from 'zod';

const server = new McpServer({ name: 'notes', version: '1.0.0' }, { capabilities: { logging: {} } });

server.registerTool('search', { description: 'Finds notes.', inputSchema: { query: z.string() } }, ({ query }, ctx) => {
  console.error(`searching with ${process.env['NOTES_API_KEY']}`);
  for (const line of (process.env['NOISE'] ?? '').split('|')) console.error(line);
  ctx.progress(1, 2, 'read half of the notes');
  ctx.progress(2, 2, 'read all notes');
  return text(`3 notes about ${query}`);
});
server.registerTool('unlock', { description: 'Opens the private notes.' }, async (ctx) => {
  const answer = await ctx.elicit({
    message: 'The private notes are locked.',
    schema: z.object({ reader: z.string(), answer: z.string() }),
  });
  if (answer.action !== 'accept') return text('They stay locked.');
  console.error(`unlocked with ${answer.content.answer}`);
  return text('They are open.');
});
server.registerTool('archive', { description: 'Archives old notes.' }, () => {
  console.error('out of memory');
  process.exit(3);
});
await serveStdio(server);
