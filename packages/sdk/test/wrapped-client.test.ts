import { McpServer, createMcpHandler } from 'crosspoint/server';
import { describe, expect, it } from 'vitest';
import { Client } from '../src/client/index.ts';
import { StreamableHTTPClientTransport } from '../src/client/streamableHttp.ts';
import { InMemoryTransport } from '../src/inMemory.ts';
import { listen } from './listening.ts';

const info = { name: 'wrapped', version: '1.0.0' };

function makeServer(): McpServer {
  const server = new McpServer(info);
  server.registerTool('hello', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
  return server;
}

async function connected(client: Client): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await makeServer().connect(far);
  await client.connect(near);
  return client;
}

describe('a client of which a program makes something else, as it can with v1', () => {
  it('works through a Proxy', async () => {
    const client = await connected(new Proxy(new Client(info), {}));
    expect((await client.listTools()).tools).toHaveLength(1);
    expect(await client.callTool({ name: 'hello' })).toMatchObject({ content: [{ text: 'hello' }] });
    expect(client.transport).toBeDefined();
    expect(client.getServerVersion()).toMatchObject(info);
    const handler = async () => ({});
    client.fallbackRequestHandler = handler;
    expect(client.fallbackRequestHandler).toBe(handler);
    await client.close();
  });

  it('works as a prototype', async () => {
    const client = Object.create(await connected(new Client(info))) as Client;
    expect((await client.listTools()).tools).toHaveLength(1);
    await client.close();
  });

  it('keeps what a subclass overrides, and what is put in the place of a method', async () => {
    class Counting extends Client {
      calls = 0;
      override async ping(): ReturnType<Client['ping']> {
        this.calls += 1;
        return super.ping();
      }
    }
    const client = new Counting(info);
    await connected(client);
    await client.ping();
    expect(client.calls).toBe(1);
    client.ping = async () => ({ _meta: { replaced: true } });
    expect(await client.ping()).toEqual({ _meta: { replaced: true } });
    await client.close();
  });
});

describe('a transport that the program closes', () => {
  it('ends the client, which does not open another session', async () => {
    const opened: string[] = [];
    const handler = createMcpHandler(makeServer());
    const listening = await listen((request, response) => {
      if (request.headers['mcp-session-id'] === undefined) opened.push(request.method ?? '');
      void handler.node(request, response);
    });
    const client = new Client(info);
    const transport = new StreamableHTTPClientTransport(new URL(`${listening.url}/mcp`));
    await client.connect(transport);
    const closed = new Promise<void>((resolve) => (client.onclose = resolve));
    await transport.close();
    await closed;
    expect(opened).toEqual(['POST']);
    await expect(client.listTools()).rejects.toThrow('Not connected');
    await listening.close();
  });
});
