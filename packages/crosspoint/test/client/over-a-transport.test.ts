import { expect, expectTypeOf, test } from 'vitest';
import { Client } from '../../src/client/index.ts';
import { TransportClient } from '../../src/client/stdio.ts';
import type { SkillsClient } from '../../../skills/src/client/index.ts';
import type { Transport } from '../../src/transports/transport.ts';
import { InMemoryTransport } from '../../src/transports/memory/in-memory-transport.ts';
import { McpServer, text } from '../../src/server/index.ts';

const INFO = { name: 'host', version: '1.0.0' };

test('a client without addresses does what the other does, over any transport', async () => {
  const server = new McpServer({ name: 'child', version: '1.0.0' });
  server.registerTool('hello', {}, () => text('hello'));
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new TransportClient(INFO);
  await client.connect(near);
  expect(await client.callTool({ name: 'hello' })).toMatchObject({ content: [{ type: 'text', text: 'hello' }] });
  await client.close();
});

test.each([
  ['an address', 'https://example.com/mcp'],
  ['a URL', new URL('https://example.com/mcp')],
  ['an address with options', { url: 'https://example.com/mcp' }],
  ['nothing', undefined],
])('given %s, it says where the client is that takes one', async (_, target) => {
  const client = new TransportClient(INFO);
  const connecting = client.connect(target as never);
  await expect(connecting).rejects.toThrow(TypeError);
  await expect(connecting).rejects.toThrow("The Client of 'crosspoint/client' takes the address of a server");
  expect(client.transport).toBeUndefined();
});

test('the client with addresses is one of these, and goes wherever one is taken', () => {
  const client = new Client(INFO);
  expect(client).toBeInstanceOf(TransportClient);
  expect(new TransportClient(INFO)).not.toBeInstanceOf(Client);
  expect([TransportClient.name, Client.name]).toEqual(['TransportClient', 'Client']);
  expectTypeOf(client).toExtend<TransportClient>();
  expectTypeOf<TransportClient>().toExtend<ConstructorParameters<typeof SkillsClient>[0]>();
});

test('a transport that refuses to start is left open, with its own callbacks', async () => {
  const told: string[] = [];
  const own = { onclose: () => void told.push('closed'), onerror: () => {}, onmessage: () => {} };
  const transport: Transport = {
    ...own,
    start: () => Promise.reject(new Error('somebody else has started this')),
    send: () => {},
    close: async () => void told.push('close was called'),
  };
  const client = new TransportClient(INFO);
  await expect(client.connect(transport)).rejects.toThrow('somebody else has started this');
  expect(told).toEqual([]);
  expect(transport).toMatchObject(own);
  expect(client.transport).toBeUndefined();
});
