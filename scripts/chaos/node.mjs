// One node: a server whose tools show where its answers come from. Says its port on stdout. Arguments: the address of Redis or those of a cluster, the secret that all nodes share.
import { createServer } from 'node:http';
import { createClient, createCluster } from '@redis/client';
import { fromJsonSchema } from 'crosspoint/schema';
import { McpServer, createMcpHandler } from 'crosspoint/server';
import { tasks } from 'crosspoint/server/tasks';
import { redisStore } from 'crosspoint/stores/redis';

const [url, secret] = process.argv.slice(2);
const rootNodes = url.split(',').map((one) => ({ url: one }));
const store = redisStore(rootNodes.length > 1 ? createCluster({ rootNodes }) : createClient({ url }));
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const TAGGED = fromJsonSchema({ type: 'object', properties: { tag: { type: 'string' } }, required: ['tag'] });

const server = new McpServer({ name: 'chaos', version: '1.0.0' }, { asking: { keys: [secret], store }, limits: false });
server.use(tasks());

server.registerTool('echo', { inputSchema: TAGGED }, async ({ tag }) => text(tag));

server.registerTool('work', { inputSchema: TAGGED }, async ({ tag }, ctx) => {
  for (let step = 1; step <= 5; step += 1) {
    ctx.progress(step, 5);
    await wait(40 + Math.random() * 120);
  }
  return text(tag);
});

server.registerTool('ask', { inputSchema: TAGGED }, async ({ tag }, ctx) => {
  const answer = await ctx.elicit({
    message: tag,
    requestedSchema: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
  });
  return text(answer.content?.who ?? answer.action);
});

// As a task it continues at another node from its last finished step.
server.registerTool('job', { inputSchema: TAGGED, task: 'optional' }, async ({ tag }, ctx) => {
  const parts = [];
  for (const name of ['one', 'two', 'three']) {
    parts.push(
      await ctx.step(name, async () => {
        await wait(200 + Math.random() * 300);
        return name;
      }),
    );
  }
  return text(`${String(tag)} ${parts.join('-')}`);
});

// A node that dies within moments of a change loses it, so the answer comes after the others have received it.
server.registerTool('change', {}, async () => {
  server.sendToolListChanged();
  await wait(300);
  return text('changed');
});

const handler = createMcpHandler(server, { store, nodeTimeoutMs: 6000, healthPath: '/health' });
const http = createServer((request, response) => void handler.node(request, response)).listen(0, '127.0.0.1', () =>
  console.log(http.address().port),
);
