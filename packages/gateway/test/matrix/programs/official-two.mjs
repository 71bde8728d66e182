import { getRequestListener } from '@hono/node-server';
import {
  completable,
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { COLOUR, IDS, INSTRUCTIONS, NAME, NAMES, PAGE, pause, POEM, RICH, STEPS, text, TOPIC } from './words.mjs';

/** Makes servers on the official SDK, second generation, which share their state; `tell` tells listeners over HTTP. */
function createFactory(tell) {
  const shared = { aborts: 0, hasGrown: false, tell };
  return () => {
    const capabilities = {
      logging: {},
      completions: {},
      resources: { subscribe: true, listChanged: true },
      tools: { listChanged: true },
      prompts: { listChanged: true },
    };
    const server = new McpServer({ name: 'peer', version: '1.0.0' }, { capabilities, instructions: INSTRUCTIONS });
    registerWork(server, shared);
    registerChanges(server, shared);
    registerQuestions(server);
    registerReading(server);
    return server;
  };
}

const progress = async (ctx, value) => {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...value } });
};

function registerWork(server, shared) {
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
  server.registerTool('wait', {}, async (ctx) => {
    await progress(ctx, { progress: 1 });
    return new Promise((resolve) => {
      ctx.mcpReq.signal.addEventListener('abort', () => {
        shared.aborts += 1;
        resolve(text('stopped'));
      });
    });
  });
  server.registerTool('aborts', {}, () => text(String(shared.aborts)));
  server.registerTool('count', {}, async (ctx) => {
    for (const step of STEPS) {
      await progress(ctx, { progress: step, total: STEPS.length, message: `step ${step}` });
      await pause(30);
    }
    return text('counted');
  });
  server.registerTool('chat', {}, async (ctx) => {
    await ctx.mcpReq.log('debug', 'quiet');
    await ctx.mcpReq.log('warning', { loud: true }, 'peer');
    return text('said');
  });
}

function registerChanges(server, shared) {
  const grown = server.registerTool('grown', {}, () => text('grown'));
  if (!shared.hasGrown) grown.disable();
  server.registerTool('grow', {}, () => {
    shared.hasGrown = true;
    grown.enable();
    shared.tell()?.toolsChanged();
    return text('grew');
  });
  server.registerTool('touch', {}, async () => {
    const notify = shared.tell();
    if (notify === undefined) await server.server.sendResourceUpdated({ uri: 'memo://note' });
    else notify.resourceUpdated('memo://note');
    return text('touched');
  });
}

const contentOf = (answers, key) => answers?.[key]?.content;

/** The answers of this round with those of earlier ones, which the state holds. */
function answersOf(ctx) {
  const state = ctx.mcpReq.requestState();
  return { ...(typeof state === 'string' && JSON.parse(state)), ...ctx.mcpReq.inputResponses };
}

function registerQuestions(server) {
  const asks = {
    name: () => inputRequired.elicit(NAME),
    colour: () => inputRequired.elicit(COLOUR),
    poem: () => inputRequired.createMessage(POEM),
    page: () => inputRequired.elicitUrl(PAGE),
    roots: () => inputRequired.listRoots(),
    topic: () => inputRequired.elicit(TOPIC),
  };
  const ask = (keys, known) =>
    inputRequired({
      inputRequests: Object.fromEntries(keys.map((key) => [key, asks[key]()])),
      requestState: JSON.stringify(known),
    });
  server.registerTool('interview', {}, (ctx) => {
    const known = answersOf(ctx);
    const next = ['name', 'colour', 'poem'].find((key) => known[key] === undefined);
    if (next !== undefined) return ask([next], known);
    return text(`${known.name.content?.name}, ${known.colour.content?.colour}, ${known.poem.content.text}`);
  });
  const tool = (name, keys, write) =>
    server.registerTool(name, {}, (ctx) => {
      const known = answersOf(ctx);
      return keys.some((key) => known[key] === undefined) ? ask(keys, {}) : text(write(known));
    });
  tool(
    'both',
    ['name', 'colour'],
    (known) => `${contentOf(known, 'name').name} and ${contentOf(known, 'colour').colour}`,
  );
  tool('page', ['page'], ({ page }) => `page ${page.action}`);
  tool('roots', ['roots'], ({ roots }) => roots.roots.map(({ uri }) => uri).join(' '));
  server.registerPrompt('about', {}, (ctx) => {
    const content = contentOf(ctx.mcpReq.inputResponses, 'topic');
    if (content === undefined) return ask(['topic'], {});
    return { messages: [{ role: 'user', content: { type: 'text', text: `About ${content.topic}.` } }] };
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
  server.registerPrompt('greet', { description: 'Greets.', argsSchema: z.object({ name }) }, (args) => ({
    description: 'A greeting.',
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${args.name}.` } }],
  }));
}

export const serveTwoStdio = () =>
  serveStdio(
    createFactory(() => undefined),
    { legacy: 'reject' },
  );

/** The listener of an HTTP server without a handshake. */
export function twoListener() {
  const handler = createMcpHandler(
    createFactory(() => handler.notify),
    { legacy: 'reject' },
  );
  return getRequestListener((request) => handler.fetch(request));
}
