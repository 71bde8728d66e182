import { fromJsonSchema } from 'crosspoint/schema';
import { completable, createMcpHandler, McpServer, ResourceTemplate } from 'crosspoint/server';
import { serveStdio } from 'crosspoint/server/stdio';
import { tasks } from 'crosspoint/server/tasks';
import { z } from 'zod';
import { COLOUR, IDS, INSTRUCTIONS, NAME, NAMES, PAGE, pause, POEM, RICH, STEPS, text, TOPIC } from './words.mjs';

/** A server of ours that speaks these revisions alone. */
export function createOurs(revisions) {
  const capabilities = {
    logging: {},
    completions: {},
    resources: { subscribe: true, listChanged: true },
    tools: { listChanged: true },
    prompts: { listChanged: true },
  };
  const server = new McpServer(
    { name: 'peer', version: '1.0.0' },
    { capabilities, instructions: INSTRUCTIONS, revisions },
  );
  server.use(tasks({ pollIntervalMs: 20, list: true }));
  registerWork(server);
  registerChanges(server);
  registerQuestions(server);
  registerReading(server);
  registerTasks(server);
  return server;
}

function registerWork(server) {
  server.registerTool(
    'add',
    {
      title: 'Add',
      description: 'Adds two numbers.',
      annotations: { readOnlyHint: true },
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } }),
  );
  server.registerTool('fail', {}, () => {
    throw new Error('It cannot be done.');
  });
  server.registerTool('rich', {}, () => RICH);
  const region = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
  server.registerTool('region', { inputSchema: fromJsonSchema(region) }, (args) => text(`in ${args.region}`));
  let aborts = 0;
  server.registerTool('wait', {}, (ctx) => {
    ctx.progress(1);
    return new Promise((resolve) => {
      ctx.signal.addEventListener('abort', () => {
        aborts += 1;
        resolve(text('stopped'));
      });
    });
  });
  server.registerTool('aborts', {}, () => text(String(aborts)));
  server.registerTool('count', {}, async (ctx) => {
    for (const step of STEPS) {
      ctx.progress(step, STEPS.length, `step ${step}`);
      await pause(30);
    }
    return text('counted');
  });
  server.registerTool('chat', {}, (ctx) => {
    ctx.log('debug', 'quiet');
    ctx.log('warning', { loud: true }, 'peer');
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
  server.registerTool('touch', {}, async () => {
    await server.sendResourceUpdated({ uri: 'memo://note' });
    return text('touched');
  });
}

function registerQuestions(server) {
  server.registerTool('interview', {}, async (ctx) => {
    const name = await ctx.elicit(NAME);
    const colour = await ctx.elicit(COLOUR);
    const poem = await ctx.sample(POEM);
    return text(`${name.content?.name}, ${colour.content?.colour}, ${poem.content.text}`);
  });
  server.registerTool('page', {}, async (ctx) => {
    const { action } = await ctx.elicit({ mode: 'url', elicitationId: 'order-7', ...PAGE });
    return text(`page ${action}`);
  });
  server.registerTool('both', {}, async (ctx) => {
    const [name, colour] = await Promise.all([ctx.elicit(NAME), ctx.elicit(COLOUR)]);
    return text(`${name.content?.name} and ${colour.content?.colour}`);
  });
  server.registerTool('roots', {}, async (ctx) => text((await ctx.listRoots()).map(({ uri }) => uri).join(' ')));
  server.registerPrompt('about', {}, async (ctx) => {
    const { content } = await ctx.elicit(TOPIC);
    return { messages: [{ role: 'user', content: { type: 'text', text: `About ${content?.topic}.` } }] };
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
  server.registerTool('job', { task: 'optional' }, async () => {
    await pause(30);
    return text('job done');
  });
  server.registerTool('asking-job', { task: 'optional' }, async (ctx) => {
    const { content } = await ctx.elicit(NAME);
    return text(`job for ${content?.name}`);
  });
}

export const serveOursStdio = (revisions) => serveStdio(createOurs(revisions));

/** The listener of an HTTP server. */
export function oursListener(revisions) {
  const handler = createMcpHandler(createOurs(revisions), { path: '/mcp' });
  return (request, response) => void handler.node(request, response);
}
