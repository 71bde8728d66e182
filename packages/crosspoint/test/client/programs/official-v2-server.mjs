// A server of the official SDK, second generation, over stdio: serves both families.
import { McpServer, inputRequired } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer(
    { name: 'official-v2', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.registerTool(
    'add',
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    async ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
      structuredContent: { sum: a + b },
    }),
  );
  server.registerTool('confirm', { inputSchema: z.object({}) }, async (_args, ctx) => {
    const answered = ctx.mcpReq.inputResponses?.ok;
    if (answered === undefined) {
      return inputRequired({
        inputRequests: {
          ok: inputRequired.elicit({
            message: 'Sure?',
            requestedSchema: { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] },
          }),
        },
      });
    }
    return { content: [{ type: 'text', text: JSON.stringify(answered) }] };
  });
  server.registerTool('crash', { inputSchema: z.object({}) }, async () => {
    process.stderr.write('going down\n');
    process.exit(7);
  });
  return server;
});
