// Everything by hand: the capabilities are named, and each method has its handler.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';

const server = new Server(
  { name: 'shelf', version: '2.0.0' },
  {
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true },
      prompts: {},
      completions: {},
      logging: {},
      experimental: { dust: { level: 3 } },
    },
    instructions: 'Read, do not lend.',
  },
);

const TOOLS: Tool[] = ['lend', 'return', 'burn'].map((name) => ({
  name,
  inputSchema: { type: 'object', properties: { book: { type: 'string' } }, required: ['book'] },
}));

server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => {
  const from = params?.cursor === undefined ? 0 : Number(params.cursor);
  const tools = TOOLS.slice(from, from + 2);
  return from + 2 < TOOLS.length ? { tools, nextCursor: String(from + 2) } : { tools };
});

server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: args } }, extra) => {
  if (name === 'burn')
    throw new McpError(ErrorCode.InvalidRequest, 'Books are not burnt here', { book: args?.['book'] });
  if (!TOOLS.some((tool) => tool.name === name)) throw new McpError(ErrorCode.InvalidParams, `There is no ${name}`);
  return {
    content: [{ type: 'text', text: `${name}: ${String(args?.['book'])} (${typeof extra.requestId})` }],
    _meta: { 'shelf.example/row': 4 },
  };
});

const watched = new Set<string>();
server.setRequestHandler(ListResourcesRequestSchema, () => ({
  resources: [{ uri: 'shelf:///1', name: 'one', mimeType: 'text/plain', size: 12 }],
}));
server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
  resourceTemplates: [{ uriTemplate: 'shelf:///{place}', name: 'place' }],
}));
server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
  contents: [{ uri, blob: Buffer.from('a book').toString('base64'), mimeType: 'application/octet-stream' }],
}));
server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) => {
  watched.add(uri);
  setImmediate(() => void server.sendResourceUpdated({ uri }));
  return {};
});
server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
  watched.delete(uri);
  return { _meta: { left: watched.size } };
});
server.setRequestHandler(ListPromptsRequestSchema, () => ({
  prompts: [{ name: 'review', arguments: [{ name: 'book', required: true }] }],
}));
server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `What of ${params.arguments?.['book'] ?? 'nothing'}?` } }],
}));
server.setRequestHandler(CompleteRequestSchema, ({ params: { argument } }) => ({
  completion: { values: [`${argument.value}!`], total: 1, hasMore: false },
}));
server.setRequestHandler(SetLevelRequestSchema, async ({ params: { level } }) => {
  await server.sendLoggingMessage({ level: 'alert', data: { asked: level } });
  return {};
});

server.oninitialized = () => {
  const client = server.getClientVersion();
  void server.sendLoggingMessage({ level: 'info', logger: 'door', data: `${client?.name} came in` });
};
server.onerror = (error) => console.error(error);

await server.connect(new StdioServerTransport());
