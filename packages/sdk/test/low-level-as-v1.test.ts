import * as officialClient from '@modelcontextprotocol/sdk/client/index.js';
import * as officialMemory from '@modelcontextprotocol/sdk/inMemory.js';
import * as officialServer from '@modelcontextprotocol/sdk/server/index.js';
import * as officialProtocol from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import * as officialTypes from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
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

/** What a program can see of a failure. */
async function failureOf(call: Promise<unknown> | (() => unknown), { McpError }: Sdk): Promise<unknown> {
  try {
    return { gave: await (typeof call === 'function' ? call() : call) };
  } catch (error) {
    const { name, message, code, data } = error as Error & { code?: unknown; data?: unknown };
    return { name, message, code, data, isMcpError: error instanceof McpError };
  }
}

const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

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
};

describe('the low-level classes do what those of v1 do', () => {
  it.each(Object.keys(programs))('%s', async (name) => {
    const run = programs[name];
    expect(await run?.(ours)).toEqual(await run?.(official));
  });
});
