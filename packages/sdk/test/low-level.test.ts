import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod/v4';
import { Client } from '../src/client/index.ts';
import { Server } from '../src/server/index.ts';
import { McpServer } from '../src/server/mcp.ts';
import {
  CallToolRequestSchema,
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
  ErrorCode,
  ListRootsRequestSchema,
  ListToolsRequestSchema,
  LoggingMessageNotificationSchema,
  McpError,
  RootsListChangedNotificationSchema,
  type Request,
} from '../src/types.ts';
import { Server as NewServer } from 'crosspoint/server';
import { InMemoryTransport } from 'crosspoint/testing';
import { until } from '../../crosspoint/test/until.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const ASKABLE = { sampling: {}, elicitation: {}, roots: { listChanged: true } };

async function link(server: Server, client: Client): Promise<void> {
  open.push(client, server);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
}

const makeServer = () =>
  new Server({ name: 'low', version: '1.0.0' }, { capabilities: { tools: {}, logging: {} }, instructions: 'Be kind.' });
const makeClient = () => new Client({ name: 'low', version: '2.0.0' }, { capabilities: ASKABLE });

describe('a low-level server with handlers by schema', () => {
  test('gets what the schema reads, and asks the client by request and by name', async () => {
    const server = makeServer();
    server.setRequestHandler(ListToolsRequestSchema, async () => ({
      tools: [{ name: 'ask', inputSchema: { type: 'object' } }],
    }));
    server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
      const name: string = request.params.name;
      const form = {
        method: 'elicitation/create',
        params: { message: 'Who?', requestedSchema: { type: 'object', properties: { who: { type: 'string' } } } },
      };
      const answer = await extra.sendRequest(form, ElicitResultSchema);
      const { roots } = await server.listRoots();
      const { content } = await server.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
        maxTokens: 10,
      });
      await server.sendLoggingMessage({ level: 'info', data: 'asked' });
      return { content: [{ type: 'text', text: JSON.stringify([name, answer.content, roots, content]) }] };
    });
    const client = makeClient();
    client.setRequestHandler(ElicitRequestSchema, async (request) => ({
      action: 'accept',
      content: { who: request.params.message.length > 0 ? 'Ada' : '' },
    }));
    client.setRequestHandler(CreateMessageRequestSchema, async (request) => ({
      model: 'none',
      role: 'assistant',
      content: { type: 'text', text: `${request.params.maxTokens}` },
    }));
    client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [{ uri: 'file:///tmp' }] }));
    const logged: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.data));
    await link(server, client);
    const result = await client.callTool({ name: 'ask', arguments: {} }, CallToolResultSchema);
    expect(result.content).toEqual([
      {
        type: 'text',
        text: JSON.stringify(['ask', { who: 'Ada' }, [{ uri: 'file:///tmp' }], { type: 'text', text: '10' }]),
      },
    ]);
    await until(() => logged.length === 1);
    expect(logged).toEqual(['asked']);
  });

  test('knows its client, and tells when it is ready and when it is told something', async () => {
    const server = makeServer();
    const heard: string[] = [];
    server.oninitialized = () => void heard.push('initialized');
    server.setNotificationHandler(RootsListChangedNotificationSchema, ({ method }) => void heard.push(method));
    const client = makeClient();
    await link(server, client);
    await until(() => heard.length === 1);
    expect(server.getClientVersion()).toMatchObject({ name: 'low', version: '2.0.0' });
    expect(server.getClientCapabilities()).toMatchObject(ASKABLE);
    expect(client.getServerVersion()).toMatchObject({ name: 'low', version: '1.0.0' });
    expect(client.getInstructions()).toBe('Be kind.');
    await client.sendRootsListChanged();
    await until(() => heard.length === 2);
    expect(heard).toEqual(['initialized', 'notifications/roots/list_changed']);
    expect(await server.ping()).toEqual({});
  });

  test('refuses a request that its schema does not read, and a result that the schema for it does not read', async () => {
    const server = new Server<Request & { mine?: string }>({ name: 'own', version: '1.0.0' });
    const Own = z.object({ method: z.literal('com.example/own'), params: z.object({ n: z.number() }) });
    server.setRequestHandler(Own, ({ params }) => ({ twice: params.n * 2 }));
    const client = makeClient();
    await link(server, client);
    const Twice = z.object({ twice: z.number() });
    const ask = (n: unknown, schema: z.ZodType = Twice) =>
      client.request({ method: 'com.example/own', params: { n } }, schema);
    expect(await ask(4)).toEqual({ twice: 8 });
    await expect(ask('four')).rejects.toSatisfy(
      (error) => error instanceof McpError && error.code === ErrorCode.InvalidParams,
    );
    await expect(ask(4, z.object({ twice: z.string() }))).rejects.toMatchObject({ issues: [{ path: ['twice'] }] });
  });

  test('is a class of crosspoint/server, which McpServer uses too, and can be extended', () => {
    expect(Server.prototype).toBeInstanceOf(NewServer);
    expect(new McpServer({ name: 'high', version: '1.0.0' }).server).toBeInstanceOf(Server);
    class Mine extends Server {
      readonly mine: boolean = true;
    }
    expect(new Mine({ name: 'mine', version: '1.0.0' })).toBeInstanceOf(NewServer);
  });
});

describe('a client that fails', () => {
  test('says so with an McpError: of the server, of time, and of a connection that closed', async () => {
    const server = makeServer();
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      if (params.name === 'refused') throw new McpError(ErrorCode.InvalidRequest, 'Not today', { why: 'rain' });
      return new Promise<never>(() => {});
    });
    const client = makeClient();
    await link(server, client);
    const failure = (name: string, options: object = {}) =>
      client.callTool({ name }, undefined, options).catch((error: unknown) => error);
    const refused = await failure('refused');
    expect(refused).toBeInstanceOf(McpError);
    expect(refused).toMatchObject({ code: ErrorCode.InvalidRequest, data: { why: 'rain' } });
    expect((refused as Error).message).toBe('MCP error -32600: Not today');
    const late = await failure('slow', { timeout: 20 });
    expect(late).toBeInstanceOf(McpError);
    expect(late).toMatchObject({ code: ErrorCode.RequestTimeout });
    const waiting = failure('slow');
    await client.close();
    const closed = await waiting;
    expect(closed).toBeInstanceOf(McpError);
    expect(closed).toMatchObject({ code: ErrorCode.ConnectionClosed });
  });

  test('rejects a result that breaks the output schema of its tool', async () => {
    const server = makeServer();
    const tool = {
      name: 'sum',
      inputSchema: { type: 'object' as const },
      outputSchema: { type: 'object' as const, properties: { sum: { type: 'number' } }, required: ['sum'] },
    };
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [tool] }));
    server.setRequestHandler(CallToolRequestSchema, () => ({ content: [], structuredContent: { sum: 'three' } }));
    const client = makeClient();
    await link(server, client);
    await client.listTools();
    const error: unknown = await client.callTool({ name: 'sum' }).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({ code: ErrorCode.InvalidParams });
  });
});
