// A server whose tools ask their user; over stdio when it is started as a program.
import { fileURLToPath } from 'node:url';
import { McpServer, text } from 'crosspoint/server';
import { serveStdio } from 'crosspoint/server/stdio';
import * as z from 'zod';

export function askingServer() {
  const server = new McpServer({ name: 'asking', version: '1.0.0' });
  server.registerTool('greet', { inputSchema: { language: z.string() } }, async ({ language }, ctx) => {
    const answer = await ctx.elicit({
      message: `Your name, for a greeting in ${language}?`,
      schema: z.object({ name: z.string().min(2), plan: z.enum(['free', 'paid']).default('free') }),
    });
    return text(answer.action === 'accept' ? `${answer.content.name}, ${answer.content.plan}` : answer.action);
  });
  server.registerTool('connect', {}, async (ctx) => {
    const { action, content } = await ctx.elicit({
      mode: 'url',
      message: 'Please sign in at https://other.example',
      url: 'https://xn--bcher-kva.example/in?x=1',
      elicitationId: 'e-1',
    });
    return text(`${action} ${content === undefined}`);
  });
  server.registerTool('poem', { inputSchema: { context: z.string().optional() } }, async ({ context }, ctx) => {
    const { content, model } = await ctx.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Write a poem' } }],
      maxTokens: 50,
      ...(context !== undefined && { includeContext: context }),
    });
    return text(`${model}: ${Array.isArray(content) ? '' : content.text}`);
  });
  server.registerTool('folders', {}, async (ctx) => {
    const roots = await ctx.listRoots();
    return text(roots.map(({ uri }) => uri).join(' ') || 'none');
  });
  return server;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serveStdio(askingServer());
