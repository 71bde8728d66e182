import * as z from 'zod/v4';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  isInitializeRequest,
  isInitializedNotification,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  JSONRPCMessageSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { say, refusal } from '../say.mjs';

say('codes', {
  ConnectionClosed: ErrorCode.ConnectionClosed,
  RequestTimeout: ErrorCode.RequestTimeout,
  ParseError: ErrorCode.ParseError,
  InvalidRequest: ErrorCode.InvalidRequest,
  MethodNotFound: ErrorCode.MethodNotFound,
  InvalidParams: ErrorCode.InvalidParams,
  InternalError: ErrorCode.InternalError,
  UrlElicitationRequired: ErrorCode.UrlElicitationRequired,
});
const own = new McpError(ErrorCode.InvalidParams, 'No such bird', { bird: 'dodo' });
say('own', { name: own.name, message: own.message, code: own.code, data: own.data, isError: own instanceof Error });
const made = McpError.fromError(-32603, 'Broken', { why: 'unknown' });
say('made', { known: made instanceof McpError, code: made.code, message: made.message, data: made.data });

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
};
say('guards', {
  initialize: [
    isInitializeRequest(initialize),
    isInitializeRequest({ ...initialize, params: {} }),
    isInitializeRequest(null),
  ],
  initialized: isInitializedNotification({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  request: [isJSONRPCRequest(initialize), isJSONRPCRequest({ jsonrpc: '2.0', method: 'x' })],
  notification: isJSONRPCNotification({ jsonrpc: '2.0', method: 'x' }),
  result: isJSONRPCResultResponse({ jsonrpc: '2.0', id: 1, result: {} }),
  error: isJSONRPCErrorResponse({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }),
  message: JSONRPCMessageSchema.safeParse({ jsonrpc: '1.0', id: 1, result: {} }).success,
});

const server = new Server({ name: 'aviary', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
server.setRequestHandler(CallToolRequestSchema, ({ params: { name } }) => {
  if (name === 'known') throw own;
  if (name === 'foreign') throw new TypeError('a bug of the author');
  throw new McpError(-32_099, 'with a number of its own', [1, 2]);
});
const [near, far] = InMemoryTransport.createLinkedPair();
const client = new Client({ name: 'watcher', version: '1.0.0' });
await Promise.all([server.connect(near), client.connect(far)]);

say('known', await refusal(client.callTool({ name: 'known' })));
say('foreign', await refusal(client.callTool({ name: 'foreign' })));
say('numbered', await refusal(client.callTool({ name: 'numbered' })));
say('no such method', await refusal(client.request({ method: 'birds/count' }, z.object({}))));
say('no such feature', await refusal(client.request({ method: 'prompts/list' }, z.object({}))));
say(
  'no handler without the capability',
  await Promise.resolve()
    .then(() =>
      new Server({ name: 'x', version: '1' }).setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] })),
    )
    .then(
      () => 'taken',
      (error: unknown) => error instanceof Error,
    ),
);
say(
  'a result of another kind',
  await client.request({ method: 'tools/list' }, z.object({ tools: z.number() })).then(
    () => 'taken',
    (error: Error) => error instanceof Error,
  ),
);

// What a client has not declared cannot be asked of it.
const refused = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => false,
    () => true,
  );
say('not declared', [
  await refused(
    server.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 1 }),
  ),
  await refused(server.elicitInput({ message: 'x', requestedSchema: { type: 'object', properties: {} } })),
  await refused(server.listRoots()),
]);

const waiting = refusal(
  client.request({ method: 'tools/list' }, z.object({ tools: z.array(z.unknown()) }), { timeout: 60_000 }),
);
await client.close();
say('answered or closed', ['McpError', undefined].includes(((await waiting) as { name?: string }).name));
say(
  'after the end',
  await client.listTools().then(
    () => 'answered',
    (error: unknown) => error instanceof Error,
  ),
);
say('done');
