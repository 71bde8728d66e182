// The server that is fuzzed, over every transport. Its tools return their input, so that an answer that reaches the wrong client shows whose it is.
import { McpServer, ResourceTemplate, completable, text } from 'crosspoint/server';
import { tasks } from 'crosspoint/server/tasks';
import { logCalls } from 'crosspoint/middleware';
import * as z from 'zod';
import { fromJsonSchema } from 'crosspoint/schema';

const TAG = { tag: z.string().optional() };
/** Longer than any valid call of these tools takes. */
const HELD_MS = 300;

/** @param {import('crosspoint/server').McpServerOptions} options */
export function createFuzzedServer(options = {}) {
  const server = new McpServer(
    { name: 'fuzzed', version: '1.0.0' },
    {
      capabilities: { logging: {}, resources: { subscribe: true, listChanged: true } },
      pageSize: 3,
      onwarning: () => {},
      ...options,
    },
  );
  server.use(tasks({ list: true, pollIntervalMs: 20 }));
  server.use(logCalls({ params: true, results: true, log: () => {} }));
  plainTools(server);
  askingTools(server);
  others(server);
  return server;
}

function plainTools(server) {
  server.registerTool('echo', { inputSchema: { value: z.unknown() } }, ({ value }) =>
    text(JSON.stringify(value) ?? ''),
  );
  server.registerTool('mark', { inputSchema: { tag: z.string() } }, ({ tag }) => text(tag));
  server.registerTool('log', { inputSchema: { data: z.unknown() } }, ({ data }, ctx) => {
    ctx.log('info', data);
    ctx.log('error', { data, token: 'secret-of-the-server' }, 'fuzzed');
    return text('logged');
  });
  server.registerTool('count', { inputSchema: { to: z.number(), ...TAG } }, async ({ to, tag }, ctx) => {
    for (let step = 1; step <= Math.min(to, 5); step += 1) {
      ctx.progress(step, to, tag);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return text(`counted ${tag}`);
  });
  server.registerTool('hold', { inputSchema: TAG }, async ({ tag }, ctx) => {
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, HELD_MS);
      ctx.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    return text(`held ${tag}`);
  });
  server.registerTool('throws', { inputSchema: TAG }, ({ tag }) => {
    throw new Error(`refused ${tag}`);
  });
  server.registerTool(
    'shaped',
    {
      inputSchema: fromJsonSchema({
        type: 'object',
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region', pattern: '^[a-z]+(-[a-z]+)*$' },
          size: { type: 'integer', 'x-mcp-header': 'Size' },
          list: { type: 'array', uniqueItems: true, items: { enum: [1, 'a', { b: [1] }] } },
        },
        additionalProperties: false,
      }),
      outputSchema: fromJsonSchema({ type: 'object', properties: { region: { type: 'string' } } }),
    },
    ({ region }) => ({ structuredContent: region === undefined ? {} : { region }, content: [] }),
  );
  let runs = 0;
  server.registerTool('once', { inputSchema: { tag: z.string() } }, ({ tag }) => text(`run ${(runs += 1)} for ${tag}`));
}

function askingTools(server) {
  const schema = z.object({ ok: z.boolean() });
  const refunds = new Map();
  server.registerTool('ask', { inputSchema: TAG }, async ({ tag }, ctx) => {
    const answer = await ctx.elicit({ message: `Go on, ${tag}?`, schema });
    return text(`${answer.action} ${tag}`);
  });
  server.registerTool('refund', { inputSchema: { order: z.string(), ...TAG } }, async ({ order, tag }, ctx) => {
    const answer = await ctx.elicit({ message: `Refund ${order} for ${tag}?`, schema });
    if (answer.action !== 'accept') return text('nothing');
    await ctx.step('refund', () => {
      refunds.set(order, (refunds.get(order) ?? 0) + 1);
      return null;
    });
    return text(`refunded ${order} × ${refunds.get(order)}`);
  });
  server.registerTool('sample', { inputSchema: TAG }, async ({ tag }, ctx) => {
    const messages = [{ role: 'user', content: { type: 'text', text: tag ?? '' } }];
    const { content } = await ctx.sample({ messages, maxTokens: 10 });
    return text(JSON.stringify(content));
  });
  server.registerTool('roots', {}, async (ctx) => text(JSON.stringify(await ctx.listRoots())));
  server.registerTool('job', { inputSchema: TAG, task: 'optional' }, async ({ tag }, ctx) => {
    const made = await ctx.step('make', () => ({ tag }));
    return text(`made ${made.tag}`);
  });
  server.registerTool('asking-job', { inputSchema: TAG, task: 'optional' }, async ({ tag }, ctx) => {
    const answer = await ctx.elicit({ message: `Begin, ${tag}?`, schema });
    return text(`${answer.action} ${tag}`);
  });
}

function others(server) {
  server.registerResource('note', 'note://one', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, text: 'one' }],
  }));
  const template = new ResourceTemplate('note://by/{name}{?q*}', {
    list: () => ({ resources: [{ uri: 'note://by/ada', name: 'ada' }] }),
    complete: { name: (value) => ['ada', 'bob'].filter((name) => name.startsWith(value)) },
  });
  server.registerResource('by-name', template, {}, (uri, { name }) => ({
    contents: [{ uri: uri.href, text: String(name) }],
  }));
  server.registerPrompt(
    'greet',
    {
      argsSchema: { name: completable(z.string(), (value) => ['ada', 'bob'].filter((name) => name.startsWith(value))) },
    },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: name } }] }),
  );
}
