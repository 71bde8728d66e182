// The server of the endurance run: tools that answer, take their time, ask, run as tasks and change things.
import { fromJsonSchema } from 'crosspoint/schema';
import { McpServer } from 'crosspoint/server';
import { tasks } from 'crosspoint/server/tasks';

const wait = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const TAGGED = fromJsonSchema({ type: 'object', properties: { tag: { type: 'string' } }, required: ['tag'] });

/** @param {{ keys: string[], store: object }} asking */
export function createShop(asking) {
  const server = new McpServer(
    { name: 'soak', version: '1.0.0' },
    { asking, limits: false, capabilities: { logging: {}, resources: { subscribe: true } } },
  );
  server.use(tasks({ ttlMs: 30_000 }));
  server.registerTool('echo', { inputSchema: TAGGED }, ({ tag }) => text(tag));
  server.registerTool('work', { inputSchema: TAGGED }, async ({ tag }, ctx) => {
    for (let step = 1; step <= 4; step += 1) {
      ctx.progress(step, 4);
      ctx.log('info', { step });
      await wait(20, ctx.signal);
    }
    return text(tag);
  });
  server.registerTool('sleep', { inputSchema: TAGGED }, async ({ tag }, ctx) => {
    await wait(2000, ctx.signal);
    return text(tag);
  });
  server.registerTool('ask', { inputSchema: TAGGED }, async ({ tag }, ctx) => {
    const requestedSchema = { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] };
    const { action, content } = await ctx.elicit({ message: tag, requestedSchema });
    return text(content?.who ?? action);
  });
  server.registerTool('job', { inputSchema: TAGGED, task: 'optional' }, async ({ tag }, ctx) => {
    for (const name of ['one', 'two', 'three']) await ctx.step(name, () => wait(30).then(() => name));
    return text(tag);
  });
  server.registerResource('state', 'soak://state', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'steady' }] }));
  server.registerTool('change', {}, async () => {
    await server.sendResourceUpdated({ uri: 'soak://state' });
    server.sendToolListChanged();
    return text('changed');
  });
  return server;
}
