import { Client as OfficialClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as OfficialTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, it } from 'vitest';
import { McpServer, ProtocolError, ResourceTemplate, inputRequired } from '../../src/server/index.ts';
import type { Transport } from '../../src/transports/transport.ts';
import { proves } from '../requirements/proves.ts';
import { Value, ask, linked, newestHandshake, said, serverOf, type Handler } from './linked.ts';

const told = (what: string): object => ({
  isError: true,
  content: [
    {
      type: 'text',
      text: `The client has not declared ${what}, so it cannot be asked. Go on without its answer, or use a client that declares it.`,
    },
  ],
});

const MESSAGES = { messages: [], maxTokens: 1 };
const QUESTIONS: [what: string, handler: Handler][] = [
  ['elicitation', (ctx) => ctx.elicit({ message: 'm', schema: Value })],
  ['elicitation by URL', (ctx) => ctx.elicit({ mode: 'url', message: 'm', url: 'https://a.example/' })],
  ['sampling', (ctx) => ctx.sample(MESSAGES)],
  ['sampling with tools', (ctx) => ctx.sample({ ...MESSAGES, tools: [] })],
  ['roots', (ctx) => ctx.listRoots()],
  ['sampling', (ctx) => ctx.sendRequest({ method: 'sampling/createMessage', params: MESSAGES })],
  ['roots', () => inputRequired({ inputRequests: { q: inputRequired.listRoots() } })],
];

describe('a tool that asks a client with a handshake for something it has not declared', () => {
  proves('L-LIFECYCLE-016, L-ELICITATION-003, L-SAMPLING-002, L-ROOTS-015').it.each(QUESTIONS)(
    'tells the model: %s',
    async (what, handler) => {
      const { client, asked } = await linked(serverOf(handler), newestHandshake.id, { capabilities: {} });
      expect(await client.callTool({ name: 't' })).toEqual(told(what));
      expect(asked).toEqual([]);
    },
  );

  it('tells the model also with an output schema, and after another question was answered', async () => {
    const server = new McpServer({ name: 's', version: '1' });
    server.registerTool('t', { outputSchema: Value }, async (ctx) => {
      await ask(ctx, 'first');
      await ctx.listRoots();
      return { structuredContent: { value: 'x' } };
    });
    const { client, asked } = await linked(server, newestHandshake.id, { capabilities: { elicitation: {} } });
    expect(await client.callTool({ name: 't' })).toEqual(told('roots'));
    expect(asked).toEqual(['first']);
  });

  it('may go on by itself', async () => {
    const server = serverOf(async (ctx) => said(await ctx.listRoots().catch((error: ProtocolError) => error.kind)));
    const { client } = await linked(server, newestHandshake.id, { capabilities: {} });
    expect(await client.callTool({ name: 't' })).toMatchObject({ content: [{ text: 'missing-capability' }] });
  });

  it('reaches a client of the official SDK as a result', async () => {
    const client = new OfficialClient({ name: 'plain', version: '1' });
    const [near, far] = OfficialTransport.createLinkedPair();
    await serverOf((ctx) => ctx.elicit({ message: 'm', schema: Value })).connect(far as Transport);
    await client.connect(near);
    expect(await client.callTool({ name: 't' })).toMatchObject(told('elicitation'));
    await client.close();
  });
});

describe('a tool that asks a client for something that it declares and has no method for', () => {
  /** As a bridge does: it passes on what the client behind it declares, and none of the questions. */
  async function deafClient(server: McpServer): Promise<OfficialClient> {
    const client = new OfficialClient(
      { name: 'bridge', version: '1' },
      { capabilities: { elicitation: {}, sampling: {}, roots: {} } },
    );
    const [near, far] = OfficialTransport.createLinkedPair();
    await server.connect(far as Transport);
    await client.connect(near);
    return client;
  }

  it.each<[method: string, handler: Handler]>([
    ['elicitation/create', (ctx) => ctx.elicit({ message: 'm', schema: Value })],
    ['sampling/createMessage', (ctx) => ctx.sample(MESSAGES)],
    ['roots/list', (ctx) => ctx.listRoots()],
  ])('tells the model, and not that there is no tools/call: %s', async (method, handler) => {
    const client = await deafClient(serverOf(handler));
    const text = `The client answers that it has no ${method}, although it declares it. Go on without its answer, or use a client that has it.`;
    expect(await client.callTool({ name: 't' })).toMatchObject({ isError: true, content: [{ text }] });
    await client.close();
  });

  it('may go on by itself', async () => {
    const server = serverOf(async (ctx) => said(await ctx.listRoots().catch((error: ProtocolError) => error.kind)));
    const client = await deafClient(server);
    expect(await client.callTool({ name: 't' })).toMatchObject({ content: [{ text: 'method-not-found' }] });
    await client.close();
  });
});

describe('what is refused as before', () => {
  it('prompts and resources that ask for it: the error says what is missing', async () => {
    const server = new McpServer({ name: 's', version: '1' });
    server.registerPrompt('p', {}, async (ctx) => {
      await ctx.listRoots();
      return { messages: [] };
    });
    server.registerResource(
      'r',
      new ResourceTemplate('r://{x}', { list: undefined }),
      {},
      async (_uri, _values, ctx) => {
        await ctx.sample(MESSAGES);
        return { contents: [] };
      },
    );
    const { client } = await linked(server, newestHandshake.id, { capabilities: {} });
    await expect(client.getPrompt({ name: 'p' })).rejects.toThrow('The client has not declared roots, so it cannot');
    await expect(client.readResource({ uri: 'r://1' })).rejects.toMatchObject({
      message: expect.stringContaining('The client has not declared sampling') as string,
      data: { requiredCapabilities: { sampling: {} } },
    });
  });

  it('an error of that kind that the tool throws itself', async () => {
    const server = serverOf(() => {
      throw new ProtocolError('missing-capability', 'Declare sampling.');
    });
    const { client } = await linked(server, newestHandshake.id, { capabilities: {} });
    await expect(client.callTool({ name: 't' })).rejects.toThrow('Declare sampling.');
  });
});
