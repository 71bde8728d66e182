import { expect, it } from 'vitest';
import { McpServer, isProtocolError, type ServerExtension } from '../../src/server/index.ts';
import { connectLinked } from '../../src/testing/index.ts';

type Answer = NonNullable<ServerExtension['handlers']>[string];

/** Writes down how each answer ended. */
class NotingServer extends McpServer {
  declare readonly notes: string[];

  protected override handlerOf(method: string, answer: Answer): Answer {
    return async (request, ctx) => {
      try {
        const result = await answer(request, ctx);
        this.notes.push(method);
        return result;
      } catch (error) {
        this.notes.push(`${method}: ${isProtocolError(error) ? error.kind : 'error'}`);
        throw error;
      }
    };
  }
}

const info = { name: 'noting', version: '1.0.0' };

it.each([{}, { capabilities: { tools: {}, prompts: {} } }])(
  'a subclass stands around every answer, and sees which kind of entry is missing: %j',
  async (options) => {
    const server: NotingServer = Object.assign(new NotingServer(info, options), { notes: [] });
    server.registerTool('there', {}, () => ({ content: [] }));
    server.registerPrompt('there', {}, () => ({ messages: [] }));
    const { client, close } = await connectLinked(server);
    await client.callTool({ name: 'there' });
    await client.getPrompt({ name: 'there' });
    const missing = await Promise.all([
      client.callTool({ name: 'gone' }).catch((error: unknown) => error),
      client.getPrompt({ name: 'gone' }).catch((error: unknown) => error),
    ]);
    expect(missing).toMatchObject([
      { code: -32602, kind: 'invalid-params' },
      { code: -32602, kind: 'invalid-params' },
    ]);
    expect(server.notes.filter((note) => !note.endsWith('/list'))).toEqual([
      'tools/call',
      'prompts/get',
      'tools/call: tool-not-found',
      'prompts/get: prompt-not-found',
    ]);
    await close();
  },
);
