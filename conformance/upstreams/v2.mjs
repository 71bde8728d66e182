// A conformance server on the official SDK, second generation, for the suite through a bridge: node conformance/upstreams/v2.mjs serves both
// families at an address that it prints, the handshake family with sessions.
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import {
  completable,
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  McpServer,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { keepEvents } from './events.mjs';
import {
  CAPABILITIES,
  contentsOf,
  EMPTY,
  LINES,
  pause,
  PROMPTS,
  PROMPT_TOOLS,
  RESOURCES,
  SUGGESTIONS,
  TEMPLATE,
  text,
} from './offers.mjs';
import { ROUND_PROMPT, ROUND_TOOLS } from './v2-rounds.mjs';

const codec = createRequestStateCodec({ key: randomBytes(32) });

/** Tools that send messages before they answer, by name. */
const TALKING_TOOLS = {
  test_tool_with_logging: {
    run: async (_args, { mcpReq }) => {
      for (const line of LINES) {
        await mcpReq.log('info', line);
        await pause(50);
      }
      return text('Tool with logging executed successfully');
    },
  },
  test_tool_with_progress: {
    run: async (_args, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
        await pause(50);
      }
      return text('Tool with progress executed successfully');
    },
  },
  test_logging_tool: {
    run: async (_args, { mcpReq }) => {
      await mcpReq.log('info', 'For those who asked for it.');
      return text('Logged.');
    },
  },
  test_reconnection: {
    run: async (_args, { http }) => {
      http?.closeSSE?.();
      await pause(100);
      return text('The client came back for its answer.');
    },
  },
};

/** Tools that tell of changed lists: to those who listen, and in the handshake family to the session. */
const changingTools = (server) => ({
  test_trigger_tool_change: {
    run: () => {
      modern.notify.toolsChanged();
      server.sendToolListChanged();
      return text('The tools have changed.');
    },
  },
  test_trigger_prompt_change: {
    run: () => {
      modern.notify.promptsChanged();
      server.sendPromptListChanged();
      return text('The prompts have changed.');
    },
  },
});

function build() {
  const server = new McpServer(
    { name: 'conformance-v2', version: '1.0.0' },
    { capabilities: CAPABILITIES, requestState: { verify: (state, ctx) => codec.verify(state, ctx) } },
  );
  const tools = { ...PROMPT_TOOLS, ...TALKING_TOOLS, ...ROUND_TOOLS, ...changingTools(server) };
  for (const [name, { inputSchema = EMPTY, run }] of Object.entries(tools)) {
    const config = { description: name, inputSchema: fromJsonSchema(inputSchema) };
    server.registerTool(name, config, (args, ctx) => run(args, ctx, codec));
  }
  registerReading(server);
  return server;
}

function registerReading(server) {
  for (const { listed } of RESOURCES) {
    const { uri, name, ...config } = listed;
    server.registerResource(name, uri, config, () => contentsOf(uri));
  }
  const template = new ResourceTemplate(TEMPLATE.uriTemplate, { list: undefined });
  const { name: templateName, description, mimeType } = TEMPLATE;
  server.registerResource(templateName, template, { description, mimeType }, (uri) => contentsOf(uri.href));
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  const suggest = (value) => SUGGESTIONS.filter((known) => known.startsWith(value));
  for (const [name, { args, run }] of Object.entries(PROMPTS)) {
    const fields = args.map((argument) => [argument, completable(z.string(), suggest)]);
    const argsSchema = args.length === 0 ? undefined : z.object(Object.fromEntries(fields));
    server.registerPrompt(name, { description: name, ...(argsSchema && { argsSchema }) }, (given) => run(given));
  }
  server.registerPrompt(ROUND_PROMPT.name, { description: ROUND_PROMPT.name }, (ctx) => ROUND_PROMPT.run(ctx));
}

const modern = createMcpHandler(build, { legacy: 'reject' });
const sessions = new Map();

async function openSession() {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: keepEvents(),
    retryInterval: 500,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  await build().connect(transport);
  return transport;
}

async function answer(request) {
  const refused = hostHeaderValidationResponse(request, localhostAllowedHostnames());
  if (refused !== undefined) return refused;
  if (!(await isLegacyRequest(request))) return modern.fetch(request);
  const id = request.headers.get('mcp-session-id');
  if (id !== null && !sessions.has(id)) return Response.json({ error: 'Session not found' }, { status: 404 });
  const transport = sessions.get(id) ?? (await openSession());
  return transport.handleRequest(request);
}

const listener = getRequestListener(answer);
const http = createServer((request, response) => void listener(request, response));
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
