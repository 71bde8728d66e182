import { randomUUID } from 'node:crypto';
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { COLOUR, IDS, INSTRUCTIONS, NAME, NAMES, PAGE, pause, POEM, RICH, STEPS, text, TOPIC } from './words.mjs';

/** A server on the official SDK, first generation, for one connection. */
function createOne() {
  const server = new McpServer(
    { name: 'peer', version: '1.0.0' },
    {
      instructions: INSTRUCTIONS,
      capabilities: {
        logging: {},
        completions: {},
        resources: { subscribe: true, listChanged: true },
        tools: { listChanged: true },
        prompts: { listChanged: true },
        tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      },
      taskStore: new InMemoryTaskStore(),
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  );
  registerWork(server);
  registerChanges(server);
  registerQuestions(server);
  registerPages(server);
  registerReading(server);
  registerTasks(server);
  return server;
}

const progress = async (extra, value) => {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return;
  await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, ...value } });
};

function registerWork(server) {
  server.registerTool(
    'add',
    {
      title: 'Add',
      description: 'Adds two numbers.',
      annotations: { readOnlyHint: true },
      inputSchema: { a: z.number(), b: z.number() },
      outputSchema: { sum: z.number() },
    },
    ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } }),
  );
  server.registerTool('fail', {}, () => {
    throw new Error('It cannot be done.');
  });
  server.registerTool('rich', {}, () => RICH);
  let aborts = 0;
  server.registerTool('wait', {}, async (extra) => {
    await progress(extra, { progress: 1 });
    return new Promise((resolve) => {
      extra.signal.addEventListener('abort', () => {
        aborts += 1;
        resolve(text('stopped'));
      });
    });
  });
  server.registerTool('aborts', {}, () => text(String(aborts)));
  server.registerTool('count', {}, async (extra) => {
    for (const step of STEPS) {
      await progress(extra, { progress: step, total: STEPS.length, message: `step ${step}` });
      await pause(30);
    }
    return text('counted');
  });
  server.registerTool('chat', {}, async (extra) => {
    await server.sendLoggingMessage({ level: 'debug', data: 'quiet' }, extra.sessionId);
    await server.sendLoggingMessage({ level: 'warning', data: { loud: true }, logger: 'peer' }, extra.sessionId);
    return text('said');
  });
}

function registerChanges(server) {
  const grown = server.registerTool('grown', {}, () => text('grown'));
  grown.disable();
  server.registerTool('grow', {}, () => {
    grown.enable();
    return text('grew');
  });
  const subscribed = new Set();
  server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  server.registerTool('touch', {}, async () => {
    if (subscribed.has('memo://note')) await server.server.sendResourceUpdated({ uri: 'memo://note' });
    return text('touched');
  });
}

const elicit = (extra, params) => extra.sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);

function registerQuestions(server) {
  server.registerTool('interview', {}, async (extra) => {
    const name = await elicit(extra, NAME);
    const colour = await elicit(extra, COLOUR);
    const poem = await extra.sendRequest({ method: 'sampling/createMessage', params: POEM }, CreateMessageResultSchema);
    return text(`${name.content?.name}, ${colour.content?.colour}, ${poem.content.text}`);
  });
  server.registerTool('both', {}, async (extra) => {
    const [name, colour] = await Promise.all([elicit(extra, NAME), elicit(extra, COLOUR)]);
    return text(`${name.content?.name} and ${colour.content?.colour}`);
  });
  // On the standing stream, where it names no call.
  server.registerTool('stray', {}, async () => {
    const { content } = await server.server.elicitInput(NAME);
    return text(`stray ${content?.name}`);
  });
  server.registerTool('roots', {}, async (extra) => {
    const { roots } = await extra.sendRequest({ method: 'roots/list' }, ListRootsResultSchema);
    return text(roots.map(({ uri }) => uri).join(' '));
  });
  server.registerPrompt('about', {}, async (extra) => {
    const { content } = await elicit(extra, TOPIC);
    return { messages: [{ role: 'user', content: { type: 'text', text: `About ${content?.topic}.` } }] };
  });
}

function registerPages(server) {
  server.registerTool('page', {}, async (extra) => {
    const { action } = await elicit(extra, { mode: 'url', elicitationId: 'order-7', ...PAGE });
    return text(`page ${action}`);
  });
  let isPaid = false;
  // Refused until the page is done, which happens a moment after it was asked for.
  server.registerTool('pay-first', {}, async () => {
    if (isPaid) return text('paid');
    const elicitationId = randomUUID();
    const done = server.server.createElicitationCompletionNotifier(elicitationId);
    setTimeout(() => {
      isPaid = true;
      void done();
    }, 60);
    throw new UrlElicitationRequiredError([{ mode: 'url', elicitationId, ...PAGE }]);
  });
}

function registerReading(server) {
  server.registerResource('note', 'memo://note', { title: 'Note', mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'a note' }],
  }));
  const complete = { id: (value) => IDS.filter((id) => id.startsWith(value)) };
  const template = new ResourceTemplate('memo://notes/{id}', { list: undefined, complete });
  server.registerResource('notes', template, {}, (uri, { id }) => ({
    contents: [{ uri: uri.href, text: `note ${String(id)}` }],
  }));
  const name = completable(z.string(), (value) => NAMES.filter((known) => known.startsWith(value)));
  server.registerPrompt('greet', { description: 'Greets.', argsSchema: { name } }, (args) => ({
    description: 'A greeting.',
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${args.name}.` } }],
  }));
}

function registerTasks(server) {
  const reading = {
    getTask: async ({ taskId, taskStore }) => taskStore.getTask(taskId),
    getTaskResult: async ({ taskId, taskStore }) => taskStore.getTaskResult(taskId),
  };
  const begin = async ({ taskStore }, work) => {
    const task = await taskStore.createTask({ ttl: 60_000, pollInterval: 20 });
    void work(task.taskId).then(
      (result) => taskStore.storeTaskResult(task.taskId, 'completed', result),
      (error) => taskStore.storeTaskResult(task.taskId, 'failed', { ...text(String(error)), isError: true }),
    );
    return { task };
  };
  const config = { execution: { taskSupport: 'optional' } };
  server.experimental.tasks.registerToolTask('job', config, {
    ...reading,
    createTask: (extra) =>
      begin(extra, async () => {
        await pause(30);
        return text('job done');
      }),
  });
  server.experimental.tasks.registerToolTask(
    'asking-job',
    { execution: { taskSupport: 'required' } },
    {
      ...reading,
      createTask: (extra) =>
        begin(extra, async (taskId) => {
          await extra.taskStore.updateTaskStatus(taskId, 'input_required');
          const question = { method: 'elicitation/create', params: NAME };
          const { content } = await extra.sendRequest(question, ElicitResultSchema, { relatedTask: { taskId } });
          await extra.taskStore.updateTaskStatus(taskId, 'working');
          return text(`job for ${content?.name}`);
        }),
    },
  );
}

export async function serveOneStdio() {
  await createOne().connect(new StdioServerTransport());
  // The timers of its tasks would keep it alive.
  process.stdin.on('end', () => process.exit(0));
}

/** The listener of an HTTP server, which makes a server for each session. */
export function oneListener() {
  const sessions = new Map();
  return async (request, response) => {
    const id = request.headers['mcp-session-id'];
    if (id !== undefined && !sessions.has(id)) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
      return;
    }
    let transport = sessions.get(id);
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (made) => sessions.set(made, transport),
        onsessionclosed: (closed) => sessions.delete(closed),
      });
      await createOne().connect(transport);
    }
    await transport.handleRequest(request, response);
  };
}
