import * as officialClient from '@modelcontextprotocol/sdk/client/index.js';
import * as officialMemory from '@modelcontextprotocol/sdk/inMemory.js';
import * as officialServer from '@modelcontextprotocol/sdk/server/index.js';
import * as officialProtocol from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import * as officialTypes from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/v4';
import * as ourClient from '../src/client/index.ts';
import * as ourMemory from '../src/inMemory.ts';
import * as ourServer from '../src/server/index.ts';
import * as ourProtocol from '../src/shared/protocol.ts';
import * as ourTypes from '../src/types.ts';
import { until } from '../../crosspoint/test/until.ts';

const official = { ...officialClient, ...officialServer, ...officialProtocol, ...officialMemory, ...officialTypes };
type Sdk = typeof official;
const ours = { ...ourClient, ...ourServer, ...ourProtocol, ...ourMemory, ...ourTypes } as unknown as Sdk;

type Message = officialTypes.JSONRPCMessage;

const info = { name: 'someone', version: '1.0.0' };

/** A transport of the program's own: it keeps what is sent, and the program delivers what it likes. */
class OwnTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: Message) => void;
  sessionId?: string;
  readonly sent: unknown[][] = [];
  closed = 0;
  start = async (): Promise<void> => {};
  async send(...args: unknown[]): Promise<void> {
    this.sent.push(args);
  }
  async close(): Promise<void> {
    this.closed += 1;
    this.onclose?.();
  }
}

/** The parts of a failure that a program can see. */
async function failureOf(call: Promise<unknown> | (() => unknown), { McpError }: Sdk): Promise<unknown> {
  try {
    return { gave: await (typeof call === 'function' ? call() : call) };
  } catch (error) {
    const { name, message, code, data } = error as Error & { code?: unknown; data?: unknown };
    return { name, message, code, data, isMcpError: error instanceof McpError };
  }
}

async function link(sdk: Sdk, client: officialClient.Client, server: officialServer.Server): Promise<void> {
  const [near, far] = sdk.InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
}

const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A server over a transport of the program's own, which is asked with the ids 1, 2, … */
async function served(server: officialServer.Server) {
  const transport = new OwnTransport();
  await server.connect(transport);
  let id = 0;
  const ask = (method: string, params?: object) =>
    transport.onmessage?.({ jsonrpc: '2.0', id: ++id, method, ...(params && { params }) } as Message);
  return { transport, ask };
}

async function answers(transport: OwnTransport, count: number): Promise<unknown[]> {
  await until(() => transport.sent.length >= count);
  const sent = transport.sent.map(([message]) => message as { id: number });
  return sent.sort((a, b) => a.id - b.id);
}

/** A client over a transport of the program's own, after its handshake. */
async function opened(sdk: Sdk, capabilities: object = {}, options: officialClient.ClientOptions = {}) {
  const transport = new OwnTransport();
  const client = new sdk.Client(info, options);
  const problems: string[] = [];
  client.onerror = ({ message }) => void problems.push(message);
  const connecting = client.connect(transport);
  await until(() => transport.sent.length === 1);
  const result = { protocolVersion: '2025-11-25', capabilities, serverInfo: info };
  transport.onmessage?.({ jsonrpc: '2.0', id: 0, result });
  await connecting;
  return { client, transport, problems };
}

const programs: Record<string, (sdk: Sdk) => Promise<unknown>> = {
  async 'a client sends its messages to a transport of the program’s own'(sdk) {
    const { client, transport } = await opened(
      sdk,
      { tools: {} },
      { capabilities: { extensions: { 'com.example/x': { a: 1 } }, roots: { listChanged: true } } },
    );
    const call = client.callTool({ name: 'x', _meta: { mine: 1 } }, undefined, { onprogress: () => {} });
    const list = client.listTools();
    await client.sendRootsListChanged();
    transport.onmessage?.({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text: 'y', more: 1 }], own: 2 },
    });
    transport.onmessage?.({
      jsonrpc: '2.0',
      id: 2,
      result: { tools: [{ name: 'x', inputSchema: { type: 'object' } }] },
    });
    return [await call, await list, transport.sent, client.getServerCapabilities()];
  },

  async 'a client that gives up says so to both sides'(sdk) {
    const { client, transport, problems } = await opened(sdk);
    const controller = new AbortController();
    const waiting = failureOf(client.ping({ signal: controller.signal }), sdk);
    controller.abort('no more');
    const late = failureOf(client.ping({ timeout: 0 }), sdk);
    const seen = [
      await waiting,
      await late,
      await failureOf(client.ping({ signal: controller.signal }).catch(String), sdk),
    ];
    transport.onmessage?.({ jsonrpc: '2.0', id: 1, result: {} });
    return [seen, transport.sent.slice(2), problems];
  },

  async 'a client is not connected before and after'(sdk) {
    const { client, transport } = await opened(sdk);
    const again = await failureOf(client.connect(transport), sdk);
    let wasClosed = 0;
    client.onclose = () => void (wasClosed += 1);
    const waiting = failureOf(client.ping(), sdk);
    await client.close();
    const fresh = new sdk.Client(info);
    return [again, await waiting, wasClosed, await failureOf(client.ping(), sdk), await failureOf(fresh.ping(), sdk)];
  },

  async 'a client refuses a version that it does not know, and closes'(sdk) {
    const transport = new OwnTransport();
    const client = new sdk.Client(info);
    const connecting = failureOf(client.connect(transport), sdk);
    await until(() => transport.sent.length === 1);
    const result = { protocolVersion: '1999-01-01', capabilities: {}, serverInfo: info };
    transport.onmessage?.({ jsonrpc: '2.0', id: 0, result });
    return [await connecting, transport.closed, sdk.SUPPORTED_PROTOCOL_VERSIONS];
  },

  async 'a client with a session goes on without a handshake'(sdk) {
    const transport = new OwnTransport();
    transport.sessionId = 'known';
    await new sdk.Client(info).connect(transport);
    return transport.sent;
  },

  async 'a client reports strange messages'(sdk) {
    const { client, transport, problems } = await opened(sdk);
    client.setNotificationHandler(sdk.LoggingMessageNotificationSchema, () => {
      throw new Error('cannot read');
    });
    const params = { level: 'info', data: 1 };
    for (const message of [
      { jsonrpc: '2.0', id: 77, result: {} },
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 9, progress: 1 } },
      { jsonrpc: '2.0', method: 'notifications/message', params },
      { strange: true },
    ])
      transport.onmessage?.(message as Message);
    await turns();
    return problems.sort();
  },

  async 'a client checks capabilities'(sdk) {
    const { client } = await opened(sdk, { resources: {} }, { enforceStrictCapabilities: true });
    const handler = async () => ({ roots: [] });
    return [
      await failureOf(client.listPrompts(), sdk),
      await failureOf(client.subscribeResource({ uri: 'x:y' }), sdk),
      await failureOf(client.sendRootsListChanged(), sdk),
      await failureOf(() => client.setRequestHandler(sdk.ListRootsRequestSchema, handler), sdk),
      await failureOf(() => client.registerCapabilities({ roots: {} }), sdk),
      await failureOf(() => client.assertCanSetRequestHandler('ping'), sdk),
    ];
  },

  async 'a client answers questions, and checks its own answers'(sdk) {
    const { client, transport } = await opened(
      sdk,
      {},
      { capabilities: { sampling: {}, elicitation: { form: { applyDefaults: true } } } },
    );
    const content = { type: 'text', text: 'x' };
    client.setRequestHandler(
      sdk.CreateMessageRequestSchema,
      async () => ({ model: 'm', role: 'assistant', content: [content] }) as never,
    );
    client.setRequestHandler(sdk.ElicitRequestSchema, async () => ({ action: 'accept', content: {} }));
    const schema = { type: 'object', properties: { a: { type: 'string', default: 'b' } } };
    const ask = (id: number, method: string, params?: object) =>
      transport.onmessage?.({ jsonrpc: '2.0', id, method, ...(params && { params }) } as Message);
    ask(1, 'sampling/createMessage', { messages: [], maxTokens: 1, tools: [] });
    ask(2, 'elicitation/create', { message: 'x', requestedSchema: schema });
    ask(3, 'elicitation/create', { mode: 'url', message: 'x', url: 'https://a.example', elicitationId: 'e' });
    ask(4, 'acme/unknown');
    ask(5, 'ping');
    await until(() => transport.sent.length === 7);
    const answers = transport.sent.slice(2) as [{ id: number }][];
    return answers.sort(([a], [b]) => a.id - b.id);
  },

  async 'a handler of a client has everything in its extra, also as a copy'(sdk) {
    const { client, transport } = await opened(sdk, {}, { capabilities: { roots: {} } });
    let seen: Record<string, unknown> = {};
    client.setRequestHandler(sdk.ListRootsRequestSchema, async (_request, extra) => {
      seen = { ...extra };
      await new Promise((resolve) => extra.signal.addEventListener('abort', resolve));
      await extra.sendNotification({ method: 'notifications/initialized' });
      return { roots: [] };
    });
    const params = { _meta: { progressToken: 'p' } };
    transport.onmessage?.({ jsonrpc: '2.0', id: 'r', method: 'roots/list', params });
    await turns();
    const { signal, ...rest } = seen;
    transport.onmessage?.({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'r', reason: 'why not' },
    });
    await turns();
    const kinds = Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [key, typeof value === 'function' || value]),
    );
    return [kinds, (signal as AbortSignal).reason, transport.sent.length];
  },

  async 'a client keeps to the output schema of a tool'(sdk) {
    const { client, transport } = await opened(sdk, { tools: {} });
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const answer = (id: number, result: object) => transport.onmessage?.({ jsonrpc: '2.0', id, result } as Message);
    const listed = client.listTools();
    answer(1, {
      tools: [
        { name: 'sum', inputSchema: { type: 'object' }, outputSchema },
        { name: 'slow', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } },
      ],
    });
    await listed;
    const none = failureOf(client.callTool({ name: 'sum' }), sdk);
    answer(2, { content: [] });
    const wrong = client.callTool({ name: 'sum' }).catch((error: Error) => error.message.split(': ', 2));
    answer(3, { content: [], structuredContent: { n: 'x' } });
    return [await none, await wrong, await failureOf(client.callTool({ name: 'slow' }), sdk)];
  },

  async 'a client that is told of a changed list fetches it'(sdk) {
    const got: unknown[] = [];
    const tools = { debounceMs: 0, onChanged: (...args: unknown[]) => void got.push(args) };
    const { transport } = await opened(
      sdk,
      { tools: { listChanged: true } },
      { listChanged: { tools, prompts: tools } },
    );
    transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/prompts/list_changed' });
    transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await until(() => transport.sent.length === 3);
    transport.onmessage?.({ jsonrpc: '2.0', id: 1, result: { tools: [] } });
    await turns();
    return [got, transport.sent.slice(2)];
  },

  async 'a server answers a transport of the program’s own, also before a handshake'(sdk) {
    const server = new sdk.Server(info, { capabilities: { tools: {}, extensions: { 'com.example/x': { a: 1 } } } });
    server.setRequestHandler(sdk.ListToolsRequestSchema, async () => ({ tools: [] }));
    const { transport, ask } = await served(server);
    ask('tools/list');
    ask('logging/setLevel', { level: 'info' });
    ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: info });
    ask('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: info });
    ask('initialize', { protocolVersion: '2024-10-07', capabilities: {}, clientInfo: info });
    ask('initialize', { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: info });
    ask('ping');
    const [tools, level, ...others] = (await answers(transport, 7)) as { error?: { code: number } }[];
    return [tools, level?.error?.code, others, server.getClientVersion()];
  },

  async 'a server whose program answers ping and initialize'(sdk) {
    const server = new sdk.Server(info);
    const result = { protocolVersion: '2025-03-26', capabilities: {}, serverInfo: { name: 'other', version: '2' } };
    server.setRequestHandler(sdk.InitializeRequestSchema, async () => result);
    server.setRequestHandler(sdk.PingRequestSchema, async () => ({ _meta: { mine: true } }));
    const { transport, ask } = await served(server);
    ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info });
    ask('ping');
    return answers(transport, 2);
  },

  async 'handlers of a server that fail'(sdk) {
    const server = new sdk.Server(info, { capabilities: { tools: {}, prompts: {} } });
    server.setRequestHandler(sdk.ListToolsRequestSchema, () => {
      throw new Error('no tools today');
    });
    server.setRequestHandler(sdk.ListPromptsRequestSchema, async () => {
      throw Object.assign(new Error('gone'), { code: 7, data: { a: 1 } });
    });
    server.setRequestHandler(sdk.CallToolRequestSchema, async () => ({ content: 'wrong' }) as never);
    server.fallbackRequestHandler = async ({ method, id }) => ({ method, id });
    const problems: string[] = [];
    server.onerror = ({ message }) => void problems.push(message);
    const { transport, ask } = await served(server);
    for (const method of ['tools/list', 'prompts/list', 'acme/any', 'resources/list']) ask(method);
    ask('tools/call', { name: 'x' });
    transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/progress', params: {} });
    const all = (await answers(transport, 5)) as { error?: { message: string } }[];
    await until(() => problems.length === 1);
    return [all.slice(0, 4), all[4]?.error?.message.split(': ', 2), problems[0]?.split(': ', 1)];
  },

  async 'a server tells what it can tell'(sdk) {
    const server = new sdk.Server(info, { capabilities: { resources: {}, tools: {} } });
    const { transport, ask } = await served(server);
    ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info });
    await until(() => transport.sent.length === 1);
    transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await turns();
    await server.sendLoggingMessage({ level: 'error', data: 'x' });
    await server.sendResourceUpdated({ uri: 'test://r' });
    await server.sendToolListChanged();
    await turns();
    return [
      transport.sent.slice(1).map(([message]) => (message as { method: string }).method),
      await failureOf(server.sendPromptListChanged(), sdk),
      await failureOf(
        server.notification({ method: 'notifications/message', params: { level: 'info', data: 1 } }),
        sdk,
      ),
      await failureOf(() => server.setRequestHandler(sdk.ListPromptsRequestSchema, () => ({ prompts: [] })), sdk),
      await failureOf(() => server.assertCanSetRequestHandler('initialize'), sdk),
    ];
  },

  async 'subscriptions that were not declared are handled'(sdk) {
    const server = new sdk.Server(info, { capabilities: { resources: {} } });
    server.setRequestHandler(sdk.SubscribeRequestSchema, async ({ params }) => ({ _meta: { uri: params.uri } }));
    const { transport, ask } = await served(server);
    ask('resources/subscribe', { uri: 'test://r' });
    return answers(transport, 1);
  },

  async 'a server asks, and gives up'(sdk) {
    const server = new sdk.Server(info);
    const early = await failureOf(server.ping(), sdk);
    const client = new sdk.Client(info, { capabilities: { extensions: { 'com.example/y': {} } } });
    const heard: unknown[] = [];
    const Slow = sdk.RequestSchema.extend({ method: z.literal('acme/slow') });
    client.setRequestHandler(Slow, async (_request, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      heard.push(signal.reason);
      return {};
    });
    await link(sdk, client, server);
    await turns();
    // v1 cannot cancel the first request, whose id is 0.
    await server.ping();
    const ask = (options: object) =>
      failureOf(server.request({ method: 'acme/slow' } as never, sdk.EmptyResultSchema, options), sdk);
    const late = await ask({ timeout: 0 });
    const controller = new AbortController();
    const stopped = ask({ signal: controller.signal });
    await turns();
    controller.abort(new Error('enough'));
    const seen = [early, late, await stopped, server.getClientCapabilities()];
    const unknown = await failureOf(server.request({ method: 'acme/none' } as never, sdk.EmptyResultSchema), sdk);
    await until(() => heard.length === 2);
    const waiting = ask({});
    await turns();
    await client.close();
    return [seen, heard.slice(1), unknown, await waiting];
  },

  async 'a handler of a server has everything in its extra, also as a copy'(sdk) {
    const server = new sdk.Server(info, { capabilities: { tools: {} } });
    let seen: Record<string, unknown> = {};
    server.setRequestHandler(sdk.ListToolsRequestSchema, async (_request, extra) => {
      seen = { ...extra };
      await new Promise((resolve) => extra.signal.addEventListener('abort', resolve));
      return { tools: [] };
    });
    const { transport, ask } = await served(server);
    transport.sessionId = 's';
    ask('tools/list', { _meta: { progressToken: 'p' } });
    await turns();
    const { signal, ...rest } = seen;
    const params = { requestId: 1, reason: 'why not' };
    transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    await turns();
    const kinds = Object.entries(rest).map(([key, value]) => [key, typeof value === 'function' || value] as const);
    return [Object.fromEntries(kinds), (signal as AbortSignal).reason, transport.sent];
  },
};

describe('the low-level classes do what those of v1 do', () => {
  it.each(Object.keys(programs))('%s', async (name) => {
    const run = programs[name];
    expect(await run?.(ours)).toEqual(await run?.(official));
  });
});
