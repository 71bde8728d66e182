// One handler shape in one process: does a question that nobody awaits yet end it, and does anything stay held?
//   node shapes.mjs <folder of the compiled sources> <shape> <revision> <answer|leave>
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, shape, revision, mode] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(folder, path)).href);
const { McpServer } = await load('server/index.js');
const { Client } = await load('client/index.js');
const { InMemoryTransport } = await load('transports/memory/in-memory-transport.js');

let held = 0;
const schema = { type: 'object', properties: { value: { type: 'string' } } };
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const shapes = {
  'all helpers': (_ctx, ask) => Promise.all([ask('a'), ask('b')]),
  'raw, in order': async (ctx) => {
    const [a, b] = [ctx.elicit({ message: 'a', schema }), ctx.elicit({ message: 'b', schema })];
    await a;
    await b;
  },
  'raw, in reverse': async (ctx) => {
    const [a, b] = [ctx.elicit({ message: 'a', schema }), ctx.elicit({ message: 'b', schema })];
    await b;
    await a;
  },
  'helpers, in order': async (_ctx, ask) => {
    const [a, b] = [ask('a'), ask('b')];
    await a;
    await b;
  },
  'helpers, in reverse': async (_ctx, ask) => {
    const [a, b] = [ask('a'), ask('b')];
    await b;
    await a;
  },
  'helper awaited later': async (_ctx, ask) => {
    const a = ask('a');
    await later(30);
    await a;
  },
  'never awaited': async (_ctx, ask) => {
    void ask('a');
    await ask('b');
  },
  'roots and sampling, unawaited': async (ctx, ask) => {
    void ctx.listRoots();
    void ctx.sample({ messages: [], maxTokens: 1 });
    await ask('b');
  },
  'a step beside a question': async (ctx, ask) => {
    const step = ctx.step('s', () => later(5));
    await ask('a');
    await step;
  },
  'resources held in finally': (_ctx, ask) =>
    Promise.all(
      ['a', 'b'].map(async (message) => {
        held += 1;
        try {
          return await ask(message);
        } finally {
          await later(1);
          held -= 1;
        }
      }),
    ),
};

if (shape === 'not ours') {
  const server = new McpServer({ name: 's', version: '1' });
  void server;
  void Promise.reject(new Error('not ours'));
  await later(200);
}

const server = new McpServer({ name: 's', version: '1' });
server.registerTool('t', {}, async (ctx) => {
  await shapes[shape](ctx, async (message) => (await ctx.elicit({ message, schema })).content);
  return { content: [{ type: 'text', text: 'ok' }] };
});
const [near, far] = InMemoryTransport.createLinkedPair({ text: true });
await server.connect(far);
const client = new Client(
  { name: 'c', version: '1' },
  { revisions: [revision], capabilities: { elicitation: {}, roots: {}, sampling: {} } },
);
const leaving = () => new Promise(() => {});
client.setRequestHandler('elicitation/create', () =>
  mode === 'leave' ? leaving() : { action: 'accept', content: { value: 'v' } },
);
client.setRequestHandler('roots/list', () => (mode === 'leave' ? leaving() : { roots: [] }));
client.setRequestHandler('sampling/createMessage', () =>
  mode === 'leave' ? leaving() : { role: 'assistant', content: { type: 'text', text: '' }, model: 'm' },
);
await client.connect(near);

const calling = client.callTool({ name: 't' }).then(
  (result) => result.content[0].text,
  () => 'left',
);
if (mode === 'leave') {
  await later(20);
  await client.close();
}
const outcome = await calling;
await later(60);
console.log(`${outcome}, held ${held}`);
if (mode === 'then fail') {
  void Promise.reject(new Error('not ours'));
  await later(50);
  console.log('survived');
}
