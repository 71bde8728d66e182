// A server that asks for words of a model, as it is told to by its tools; over stdio when it is started as a program.
//   --revisions <list>  the revisions that it speaks
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { McpServer, text } from 'crosspoint/server';
import { serveStdio } from 'crosspoint/server/stdio';
import { z } from 'zod';

const ADD = {
  name: 'sums/add',
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
};

export function samplerServer(revisions) {
  const server = new McpServer({ name: 'sampler', version: '1.0.0' }, { ...(revisions && { revisions }) });

  server.registerTool('ask', { inputSchema: { params: z.record(z.string(), z.any()) } }, async ({ params }, ctx) => {
    const answer = await ctx.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
      maxTokens: 50,
      ...params,
    });
    return text(JSON.stringify(answer));
  });

  server.registerTool('note', { inputSchema: { words: z.string() } }, ({ words }) => text(`noted: ${words}`));

  server.registerTool('loop', { inputSchema: { times: z.number() } }, async ({ times }, ctx) => {
    for (let round = 0; round < times; round += 1)
      await ctx.sample({
        messages: [{ role: 'user', content: { type: 'text', text: `Round ${round}` } }],
        maxTokens: 50,
      });
    return text('done');
  });

  // A loop with a tool of the server's own, which the server runs itself.
  server.registerTool('sum', {}, async (ctx) => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'What are 2 + 3 and 4 + 5?' } }];
    for (;;) {
      const { content, stopReason } = await ctx.sample({ messages, maxTokens: 100, tools: [ADD] });
      const blocks = Array.isArray(content) ? content : [content];
      if (stopReason !== 'toolUse') return text(blocks.map((block) => block.text).join(''));
      const results = blocks
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, input }) => ({
          type: 'tool_result',
          toolUseId: id,
          content: [{ type: 'text', text: String(input.a + input.b) }],
        }));
      messages.push({ role: 'assistant', content: blocks }, { role: 'user', content: results });
    }
  });
  return server;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { revisions: { type: 'string' } } });
  await serveStdio(samplerServer(values.revisions?.split(',')));
}
