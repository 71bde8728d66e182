/** Programs of the older SDK as the compiler sees them: the types of `types.js` fit this library's functions, and each other. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod/v4';
import { Client } from 'crosspoint/client';
import type { InMemoryTransport } from '../../src/inMemory.ts';
import type { SSEClientTransport } from '../../src/client/sse.ts';
import type { StdioClientTransport } from '../../src/client/stdio.ts';
import type { StreamableHTTPClientTransport } from '../../src/client/streamableHttp.ts';
import type { WebSocketClientTransport } from '../../src/client/websocket.ts';
import type { RequestHandlerExtra } from '../../src/shared/protocol.ts';
import type { Transport } from '../../src/shared/transport.ts';
import {
  BaseMetadataSchema,
  CallToolRequestSchema,
  CallToolResultSchema,
  ClientRequestSchema,
  ContentBlockSchema,
  type ElicitRequestSchema,
  ErrorCode,
  type ListToolsResultSchema,
  NotificationSchema,
  RequestSchema,
  ToolSchema,
  type CallToolRequest,
  type CallToolResult,
  type ClientRequest,
  type ContentBlock,
  type ElicitRequest,
  type JSONRPCMessage,
  type ListToolsResult,
  type Resource,
  type ServerCapabilities,
  type ServerNotification,
  type ServerRequest,
  type Tool,
} from '../../src/types.ts';
import type * as main from 'crosspoint';
import { Server, type ServerContext } from 'crosspoint/server';

describe('the types of types.js', () => {
  it('are what their schemas parse to', () => {
    expectTypeOf<z.output<typeof CallToolResultSchema>>().toExtend<CallToolResult>();
    expectTypeOf<z.output<typeof ToolSchema>>().toExtend<Tool>();
    expectTypeOf<Tool>().toExtend<z.output<typeof ToolSchema>>();
    expectTypeOf<z.output<typeof CallToolRequestSchema>>().toExtend<CallToolRequest>();
    expectTypeOf<CallToolRequest>().toExtend<z.output<typeof CallToolRequestSchema>>();
    expectTypeOf<z.output<typeof ElicitRequestSchema>>().toExtend<ElicitRequest>();
    expectTypeOf<z.output<typeof ClientRequestSchema>>().toEqualTypeOf<ClientRequest>();
    expectTypeOf<z.output<typeof ContentBlockSchema>>().toExtend<ContentBlock>();
    expectTypeOf<z.output<typeof ListToolsResultSchema>>().toExtend<ListToolsResult>();
    expectTypeOf(CallToolRequestSchema.shape.method.value).toEqualTypeOf<'tools/call'>();
    expect(CallToolRequestSchema.shape.method.value).toBe('tools/call');
    expect(Object.keys(CallToolRequestSchema.shape.params.shape)).toContain('name');
  });

  it('are told apart by their discriminators', () => {
    const block = ContentBlockSchema.parse({ type: 'text', text: 'x' });
    if (block.type === 'text') expectTypeOf(block.text).toEqualTypeOf<string>();
    if (block.type === 'resource' && 'text' in block.resource)
      expectTypeOf(block.resource.text).toEqualTypeOf<string>();
    const request = ClientRequestSchema.parse({ method: 'resources/read', params: { uri: 'x:y' } });
    if (request.method === 'resources/read') expectTypeOf(request.params.uri).toEqualTypeOf<string>();
    expect(request).toEqual({ method: 'resources/read', params: { uri: 'x:y' } });
  });

  it('can be extended for methods and members of a program’s own', () => {
    const Search = RequestSchema.extend({
      method: z.literal('acme/search'),
      params: z.object({ query: z.string(), limit: z.number().default(10) }),
    });
    expectTypeOf<z.output<typeof Search>>().toEqualTypeOf<{
      method: 'acme/search';
      params: { query: string; limit: number };
    }>();
    expect(Search.parse({ method: 'acme/search', params: { query: 'x' } }).params.limit).toBe(10);
    const Named = BaseMetadataSchema.extend({ size: z.number() });
    expectTypeOf<z.output<typeof Named>['size']>().toEqualTypeOf<number>();
    expect(Named.safeParse({ name: 'n' }).success).toBe(false);
    expect(NotificationSchema.extend({ method: z.literal('acme/x') }).shape.method.value).toBe('acme/x');
    expect(ToolSchema.pick({ name: true }).parse({ name: 'n', more: 1 })).toEqual({ name: 'n' });
  });

  it('name the methods of each side', () => {
    const methods = ClientRequestSchema.options.map(({ shape }) => shape.method.value);
    expect(methods).toContain('tools/call');
  });

  it('fit those of the main entries', () => {
    expectTypeOf<main.JSONRPCMessage>().toExtend<JSONRPCMessage>();
    expectTypeOf<main.Resource>().toExtend<Resource>();
    expectTypeOf<main.ContentBlock>().toExtend<ContentBlock>();
    expectTypeOf<main.ServerCapabilities>().toExtend<ServerCapabilities>();
    expectTypeOf<ServerContext>().toExtend<RequestHandlerExtra<ServerRequest, ServerNotification>>();
    expectTypeOf<Transport>().toExtend<main.Transport>();
    expectTypeOf<main.Transport>().toExtend<Transport>();
    expectTypeOf<InMemoryTransport | StdioClientTransport>().toExtend<Transport>();
    expectTypeOf<StreamableHTTPClientTransport | SSEClientTransport>().toExtend<Transport>();
    expectTypeOf<WebSocketClientTransport>().toExtend<Transport>();
    const code: ErrorCode = ErrorCode.InvalidParams;
    expect(code).toBe(-32602);
  });

  it('serve a low-level server and a client', async () => {
    const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler(CallToolRequestSchema, async (request, extra): Promise<CallToolResult> => {
      expectTypeOf(request.params.name).toEqualTypeOf<string>();
      return { content: [{ type: 'text', text: `${request.params.name} ${typeof extra.signal.aborted}` }] };
    });
    const { InMemoryTransport: Pair } = await import('../../src/inMemory.ts');
    const [here, there] = Pair.createLinkedPair();
    const client = new Client({ name: 'c', version: '1' });
    await Promise.all([server.connect(there), client.connect(here)]);
    const result = await client.request({ method: 'tools/call', params: { name: 'x' } }, CallToolResultSchema);
    expectTypeOf(result).toExtend<CallToolResult>();
    expect(result.content).toEqual([{ type: 'text', text: 'x boolean' }]);
    await client.close();
  });
});
