import { describe, expect, it } from 'vitest';
import { McpServer, text } from '../../src/server/index.ts';
import { connectLinked } from '../../src/testing/index.ts';
import { revisions } from '../../src/revisions/index.ts';

function hello(): McpServer {
  const server = new McpServer({ name: 'hello', version: '1.0.0' });
  server.registerTool('hello', {}, (ctx) => text(`Hello, ${ctx.client?.name}, in ${ctx.protocolVersion}`));
  return server;
}

describe('connectLinked', () => {
  it.each(revisions.map(({ id }) => id))('connects a client that speaks %s in one line', async (revision) => {
    const { client, recorder, close } = await connectLinked(hello(), { revision, info: { name: 'me', version: '2' } });
    const result = await client.callTool({ name: 'hello' });
    expect(result.content).toEqual([{ type: 'text', text: `Hello, me, in ${revision}` }]);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(recorder.lines[0]).toMatch(/^→ .*"method":"(?:initialize|server\/discover)"/);
    expect(recorder.lines.at(-1)).toMatch(/^← .*"result":/);
    await close();
    await expect(client.callTool({ name: 'hello' })).rejects.toMatchObject({ code: 'closed' });
  });

  it('serves many clients of one server, each with its own revision', async () => {
    const server = hello();
    const linked = await Promise.all(revisions.map(({ id }) => connectLinked(server, { revision: id })));
    const results = await Promise.all(linked.map(({ client }) => client.callTool({ name: 'hello' })));
    expect(results.map((result) => result.content[0])).toEqual(
      revisions.map(({ id }) => ({ type: 'text', text: `Hello, linked-client, in ${id}` })),
    );
    await Promise.all(linked.map(({ close }) => close()));
    expect(server.isConnected()).toBe(false);
  });

  it('lets handlers be set before the client connects', async () => {
    const server = new McpServer({ name: 'asking', version: '1.0.0' });
    server.registerTool('roots', {}, async (ctx) => text(JSON.stringify(await ctx.listRoots())));
    const roots = [{ uri: 'file:///home' }];
    const { client, close } = await connectLinked(server, {
      revisions: 'handshake',
      capabilities: { roots: {} },
      prepare: (made) => made.setRequestHandler('roots/list', () => ({ roots })),
    });
    expect((await client.callTool({ name: 'roots' })).content).toEqual([{ type: 'text', text: JSON.stringify(roots) }]);
    await close();
  });

  it('rejects and leaves nothing open where no revision is shared', async () => {
    const server = new McpServer({ name: 'new', version: '1.0.0' }, { revisions: 'per-request' });
    await expect(connectLinked(server, { revisions: 'handshake' })).rejects.toMatchObject({
      code: 'negotiation-failed',
    });
    expect(server.isConnected()).toBe(false);
  });

  it('passes values and not text where asked to', async () => {
    const server = new McpServer({ name: 'raw', version: '1.0.0' });
    const given = { type: 'text', text: 'same' } as const;
    server.registerTool('give', {}, () => ({ content: [given] }));
    const { client, close } = await connectLinked(server, { text: false });
    expect((await client.callTool({ name: 'give' })).content[0]).toBe(given);
    await close();
  });
});
