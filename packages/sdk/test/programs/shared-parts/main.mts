// The smaller parts that programs take by themselves.
import { PassThrough } from 'node:stream';
import * as z from 'zod/v4';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { OAuthMetadataSchema, OAuthTokensSchema } from '@modelcontextprotocol/sdk/shared/auth.js';
import { checkResourceAllowed, resourceUrlFromServerUrl } from '@modelcontextprotocol/sdk/shared/auth-utils.js';
import { mergeCapabilities } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { ReadBuffer, deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import { validateToolName } from '@modelcontextprotocol/sdk/shared/toolNameValidation.js';
import { UriTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';
import {
  CallToolResultSchema,
  ContentBlockSchema,
  ImplementationSchema,
  ResourceLinkSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
  ToolSchema,
  type ContentBlock,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { say } from '../say.mjs';

const template = new UriTemplate('files:///{folder}/{name}{?page,size}');
say('template', {
  text: template.toString(),
  variables: template.variableNames,
  expanded: template.expand({ folder: 'a', name: 'b', page: '2', size: '5' }),
  matched: template.match('files:///a/b?page=2&size=5'),
  unmatched: template.match('other:///a'),
  isTemplate: [UriTemplate.isTemplate('a{b}'), UriTemplate.isTemplate('ab')],
  list: new UriTemplate('{/path*}').expand({ path: ['x', 'y'] }),
});

const buffer = new ReadBuffer();
const hello: JSONRPCMessage = { jsonrpc: '2.0', id: 1, method: 'ping' };
const bytes = Buffer.from(serializeMessage(hello));
buffer.append(bytes.subarray(0, 10));
const early = buffer.readMessage();
buffer.append(bytes.subarray(10));
say('buffer', { early, whole: buffer.readMessage(), more: buffer.readMessage() });
say('message', deserializeMessage('{"jsonrpc":"2.0","method":"notifications/initialized"}'));

say('names', [validateToolName('get_weather').isValid, validateToolName('').isValid, validateToolName('a b').isValid]);
say('merged', mergeCapabilities({ tools: { listChanged: true }, logging: {} }, { tools: {}, prompts: {} }));
say('resource', [
  resourceUrlFromServerUrl(new URL('https://a.example/mcp?x=1#y')).href,
  checkResourceAllowed({ requestedResource: 'https://a.example/mcp/x', configuredResource: 'https://a.example/mcp' }),
  checkResourceAllowed({ requestedResource: 'https://b.example/mcp', configuredResource: 'https://a.example/mcp' }),
]);
say('tokens', OAuthTokensSchema.parse({ access_token: 'a', token_type: 'Bearer', expires_in: '60' }));
say('metadata', OAuthMetadataSchema.safeParse({ issuer: 'https://a.example' }).success);

const blocks: ContentBlock[] = [
  { type: 'text', text: 'a' },
  { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'a://b', name: 'b' },
  { type: 'resource', resource: { uri: 'a://b', text: 'c' } },
];
say(
  'blocks',
  blocks.map((block) => ContentBlockSchema.parse(block).type),
);
say('not base64', ContentBlockSchema.safeParse({ type: 'image', data: '???', mimeType: 'image/png' }).success);
say('result', CallToolResultSchema.parse({ structuredContent: { a: 1 } }));
say('link', ResourceLinkSchema.safeParse({ type: 'resource_link', uri: 'a://b' }).success);
say('tool', ToolSchema.safeParse({ name: 'x', inputSchema: { type: 'string' } }).success);
say('implementation', ImplementationSchema.parse({ name: 'x', version: '1', unknown: true }));
say('revisions', SUPPORTED_PROTOCOL_VERSIONS.includes('2024-11-05'));

const validate = new AjvJsonSchemaValidator().getValidator<{ a: number }>({
  type: 'object',
  properties: { a: { type: 'number' } },
  required: ['a'],
});
const right = validate({ a: 1 });
say('validated', { right: right.valid && right.data, wrong: validate({ a: 'one' }).valid });

// A server on streams of its own instead of those of the process.
const [input, output] = [new PassThrough(), new PassThrough()];
const server = new McpServer({ name: 'piped', version: '1.0.0' });
server.registerTool(
  'links',
  {
    annotations: { readOnlyHint: true },
    _meta: { 'a.example/colour': 'red' },
    inputSchema: z.object({ n: z.number() }),
  },
  ({ n }) => ({
    content: Array.from(
      { length: n },
      (_, each) => ({ type: 'resource_link', uri: `a://${each}`, name: `${each}` }) as const,
    ),
  }),
);
await server.connect(new StdioServerTransport(input, output));
const lines = output[Symbol.asyncIterator]();
const ask = async (message: JSONRPCMessage): Promise<unknown> => {
  input.write(serializeMessage(message));
  return JSON.parse(String((await lines.next()).value));
};
const begun = (await ask({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'pipe', version: '1' } },
})) as { result: { protocolVersion: string; serverInfo: unknown } };
say('initialized', { revision: begun.result.protocolVersion, server: begun.result.serverInfo });
input.write(serializeMessage({ jsonrpc: '2.0', method: 'notifications/initialized' }));
say(
  'called',
  await ask({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'links', arguments: { n: 2 } } }),
);
await server.close();

// An intermediary that sees every message go by.
const [near, far] = InMemoryTransport.createLinkedPair();
const client = new Client({ name: 'peer', version: '1.0.0' });
const other = new McpServer({ name: 'other', version: '1.0.0' });
other.registerTool('x', {}, ({ authInfo }) => ({ content: [{ type: 'text', text: authInfo?.token ?? 'none' }] }));
await Promise.all([other.connect(near), client.connect(far)]);
const { onmessage } = near;
near.onmessage = (message, extra) =>
  onmessage?.(message, { ...extra, authInfo: { token: 'seen', clientId: 'c', scopes: [] } });
say('token', (await client.callTool({ name: 'x' })).content);
await client.close();
say('done');
