import { createMcpHandler, type McpServer } from 'crosspoint/server';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';

/** Serves with Fastify 5, beside the application's other routes. */
export async function serve(server: McpServer, port: number) {
  const handler = createMcpHandler(server);
  const app = Fastify({ bodyLimit: 4 * 1024 * 1024, forceCloseConnections: true });
  app.get('/', () => 'The server is at /mcp.');
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // Fastify has read the body; the handler writes the response.
    reply.hijack();
    await handler.node(request.raw, reply.raw, request.body);
  };
  for (const path of ['/mcp', '/sse', '/messages']) app.all(path, answer);

  const origin = await app.listen({ port, host: '127.0.0.1' });
  return {
    url: `${origin}/mcp`,
    async close() {
      await handler.close({ grace: 1000 });
      await app.close();
    },
  };
}
