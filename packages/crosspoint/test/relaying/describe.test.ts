import { afterEach, describe, expect, it } from 'vitest';
import { McpServer, Server, type Caller } from '../../src/server/index.ts';
import { byCaller } from '../../src/server/relaying.ts';
import { CELLS, closeAll, connected, serveOver } from './carriers.ts';

afterEach(closeAll);

const INFO = { name: 'face', version: '1.0.0' };
const CAPABILITIES = { tools: { listChanged: true }, prompts: {}, logging: {} };

function face(describeIt: NonNullable<Parameters<typeof byCaller>[0]['describe']>): Server {
  const server = new Server(INFO, { capabilities: CAPABILITIES, instructions: 'For all.' });
  server.use(byCaller({ describe: describeIt }));
  server.onerror = () => {};
  server.setRequestHandler('tools/list', () => ({ tools: [] }));
  return server;
}

describe.each(CELLS)('what a caller is told of the server over $carrier, $family', ({ carrier, family }) => {
  const options = { revisions: family, capabilities: { roots: {} } } as const;

  it('is what the program says of it', async () => {
    const callers: Caller[] = [];
    const server = face(async (caller) => {
      callers.push(caller);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { info: { name: 'upstream', version: '7' }, capabilities: { tools: {} }, instructions: 'For you.' };
    });
    const client = await connected(await serveOver(carrier, server), options);
    expect(client.getServerVersion()).toMatchObject({ name: 'upstream', version: '7' });
    expect(client.getInstructions()).toBe('For you.');
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    expect((await client.listTools()).tools).toEqual([]);
    expect(callers[0]).toMatchObject({ family, client: { name: 'relay' } });
    expect(callers[0]?.capabilities.roots).toEqual({});
  });

  it('is what the server says where the program says nothing', async () => {
    const client = await connected(
      await serveOver(
        carrier,
        face(() => ({})),
      ),
      options,
    );
    expect(client.getServerVersion()).toMatchObject(INFO);
    expect(client.getInstructions()).toBe('For all.');
    expect(Object.keys(client.getServerCapabilities() ?? {}).sort()).toEqual(['logging', 'prompts', 'tools']);
  });

  it('that cannot be found out fails this caller, and the next one is served', async () => {
    let fails = true;
    const server = face(() => {
      if (fails) throw new Error('upstream is away');
      return {};
    });
    const where = await serveOver(carrier, server);
    await expect(connected(where, { ...options, timeouts: { connectMs: 2000 } })).rejects.toThrow();
    fails = false;
    expect((await connected(where, options)).family).toBe(family);
  });
});

it('a result names the server itself, whatever a handler puts there', async () => {
  const server = new McpServer(INFO);
  server.registerTool('liar', {}, () => ({
    content: [],
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'other', version: '0' } },
  }));
  const client = await connected(await serveOver('http', server), { revisions: 'per-request' });
  const { _meta } = await client.callTool({ name: 'liar' });
  expect(_meta).toMatchObject({ 'io.modelcontextprotocol/serverInfo': INFO });
});
