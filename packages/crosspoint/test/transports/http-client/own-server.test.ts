import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Client, createVerdictMemory, type ClientOptions } from '../../../src/client/index.ts';
import { McpServer } from '../../../src/server/index.ts';
import { revisions } from '../../../src/revisions/index.ts';
import { closeAll, serve } from './http-server.ts';

afterEach(closeAll);

function echoServer(): McpServer {
  const server = new McpServer({ name: 'own', version: '1' });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({ content: [{ type: 'text', text }] }));
  return server;
}

function client(options: ClientOptions = {}): { client: Client; problems: Error[] } {
  const problems: Error[] = [];
  return { problems, client: new Client({ name: 'c', version: '1' }, { verdicts: createVerdictMemory(), onproblem: (problem) => problems.push(problem), ...options }) };
}

describe.each(revisions.map(({ id, family, http }) => ({ id, family, streamable: http.streamable })))('our own server at $id', ({ id, family, streamable }) => {
  test('is met by its address alone', async () => {
    const listening = await serve(echoServer(), { path: '/mcp' }, { path: streamable ? '/mcp' : '/sse' });
    const { client: one, problems } = client({ revisions: [id] });
    await one.connect(listening.url);
    expect(one.family).toBe(family);
    expect(one.getNegotiatedProtocolVersion()).toBe(id);
    expect(await one.callTool({ name: 'echo', arguments: { text: 'hello' } })).toMatchObject({ content: [{ type: 'text', text: 'hello' }] });
    expect((await one.listTools()).tools.map((tool) => tool.name)).toEqual(['echo']);
    await one.close();
    expect(problems).toEqual([]);
  });
});
