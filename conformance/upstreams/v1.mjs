// A conformance server on the official SDK, first generation, for the suite through a bridge: node conformance/upstreams/v1.mjs serves the
// handshake family at an address that it prints.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { CHOICES, DEFAULTS, IDENTITY, object } from '../server/forms.mjs';
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

const INVALID_PARAMS = -32602;
const notify = (extra, method, params) => extra.sendNotification({ method, params });
const ask = (extra, method, params, schema) => extra.sendRequest({ method, params }, schema);
const sample = (extra, prompt) =>
  ask(
    extra,
    'sampling/createMessage',
    { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 100 },
    CreateMessageResultSchema,
  );
const elicit = (extra, message, requestedSchema) =>
  ask(extra, 'elicitation/create', { message, requestedSchema }, ElicitResultSchema);
const elicited = async (extra, message, requestedSchema) => {
  const { action, content = {} } = await elicit(extra, message, requestedSchema);
  return text(`User response: action=${action}, content=${JSON.stringify(content)}`);
};

const NAME = object({ name: { type: 'string' } }, ['name']);

/** Tools that send messages or ask before they answer, by name. */
const TALKING_TOOLS = {
  test_tool_with_logging: {
    run: async (_args, extra) => {
      for (const data of LINES) {
        await notify(extra, 'notifications/message', { level: 'info', data });
        await pause(50);
      }
      return text('Tool with logging executed successfully');
    },
  },
  test_tool_with_progress: {
    run: async (_args, extra) => {
      const progressToken = extra._meta?.progressToken;
      for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
        await notify(extra, 'notifications/progress', { progressToken, progress, total: 100 });
        await pause(50);
      }
      return text('Tool with progress executed successfully');
    },
  },
  test_reconnection: {
    run: async (_args, extra) => {
      extra.closeSSEStream?.();
      await pause(100);
      return text('The client came back for its answer.');
    },
  },
  test_sampling: {
    inputSchema: object({ prompt: { type: 'string' } }, ['prompt']),
    run: async ({ prompt }, extra) => text(`LLM response: ${JSON.stringify((await sample(extra, prompt)).content)}`),
  },
  test_elicitation: {
    inputSchema: object({ message: { type: 'string' } }, ['message']),
    run: ({ message }, extra) => elicited(extra, message, IDENTITY),
  },
  test_elicitation_sep1034_defaults: {
    run: (_args, extra) => elicited(extra, 'Please review the form fields with defaults', DEFAULTS),
  },
  test_elicitation_sep1330_enums: {
    run: (_args, extra) => elicited(extra, 'Please select options from the enum fields', CHOICES),
  },
};

/** Tools of the other family's scenarios, which pass through a bridge alone. */
const ROUND_TOOLS = {
  test_missing_capability: {
    run: async (_args, extra) => text(JSON.stringify((await sample(extra, 'Hello')).content)),
  },
  test_streaming_elicitation: { run: (_args, extra) => elicited(extra, 'Please provide your information', IDENTITY) },
  test_logging_tool: {
    run: async (_args, extra) => {
      await notify(extra, 'notifications/message', { level: 'info', data: 'For those who asked for it.' });
      return text('Logged.');
    },
  },
  test_input_required_result_sampling: {
    run: async (_args, extra) => text(JSON.stringify((await sample(extra, 'The capital of France?')).content)),
  },
  test_input_required_result_list_roots: {
    run: async (_args, extra) =>
      text(`${(await ask(extra, 'roots/list', undefined, ListRootsResultSchema)).roots.length} roots`),
  },
  test_input_required_result_request_state: {
    run: async (_args, extra) => {
      await elicit(extra, 'Please confirm.', object({ ok: { type: 'boolean' } }, ['ok']));
      return text('state-ok');
    },
  },
  test_input_required_result_multiple_inputs: {
    run: async (_args, extra) =>
      text(
        JSON.stringify(
          await Promise.all([
            elicit(extra, 'Your name?', NAME),
            sample(extra, 'Generate a greeting.'),
            ask(extra, 'roots/list', undefined, ListRootsResultSchema),
          ]),
        ),
      ),
  },
  test_input_required_result_multi_round: {
    run: async (_args, extra) => {
      const name = await elicit(extra, 'Your name?', NAME);
      const color = await elicit(extra, 'Your colour?', object({ color: { type: 'string' } }, ['color']));
      return text(`${name.content?.name} likes ${color.content?.color}.`);
    },
  },
  test_input_required_result_tampered_state: {
    run: (_args, extra) => elicited(extra, 'Please confirm.', object({ ok: { type: 'boolean' } }, ['ok'])),
  },
};

const TOOLS = { ...PROMPT_TOOLS, ...TALKING_TOOLS, ...ROUND_TOOLS };

function serveTools(server) {
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(TOOLS).map(([name, { inputSchema = EMPTY }]) => ({ name, description: name, inputSchema })),
  }));
  const change = (method) => async () => {
    await server.notification({ method });
    return text('Told.');
  };
  const changing = {
    test_trigger_tool_change: { run: change('notifications/tools/list_changed') },
    test_trigger_prompt_change: { run: change('notifications/prompts/list_changed') },
  };
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    const tool = TOOLS[params.name] ?? changing[params.name];
    if (tool === undefined) throw new McpError(INVALID_PARAMS, `There is no tool ${params.name}.`);
    return tool.run(params.arguments ?? {}, extra);
  });
}

function serveReading(server) {
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: RESOURCES.map(({ listed }) => listed),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [TEMPLATE] }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const contents = contentsOf(uri);
    if (contents === undefined) throw new McpError(-32002, 'There is no such resource.', { uri });
    return contents;
  });
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: Object.entries(PROMPTS).map(([name, { args }]) => ({
      name,
      description: name,
      arguments: args.map((argument) => ({ name: argument, required: true })),
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    const prompt = PROMPTS[params.name];
    if (prompt === undefined) throw new McpError(INVALID_PARAMS, `There is no prompt ${params.name}.`);
    return prompt.run(params.arguments ?? {});
  });
  server.setRequestHandler(CompleteRequestSchema, ({ params: { argument } }) => ({
    completion: { values: SUGGESTIONS.filter((value) => value.startsWith(argument.value)) },
  }));
}

const sessions = new Map();

async function openSession(hosts) {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: keepEvents(),
    retryInterval: 500,
    enableDnsRebindingProtection: true,
    allowedHosts: hosts,
    onsessioninitialized: (id) => sessions.set(id, transport),
    onsessionclosed: (id) => sessions.delete(id),
  });
  const server = new Server({ name: 'conformance-v1', version: '1.0.0' }, { capabilities: CAPABILITIES });
  serveTools(server);
  serveReading(server);
  await server.connect(transport);
  return transport;
}

async function answer(request, response) {
  const id = request.headers['mcp-session-id'];
  if (id !== undefined && !sessions.has(id)) {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
    return;
  }
  const { port } = http.address();
  const transport = sessions.get(id) ?? (await openSession([`127.0.0.1:${port}`, `localhost:${port}`]));
  await transport.handleRequest(request, response);
}

const http = createServer((request, response) => void answer(request, response));
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
