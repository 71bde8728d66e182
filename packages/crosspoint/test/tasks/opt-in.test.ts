import { expect, test } from 'vitest';
import { McpServer, Server, text } from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { Wire } from '../server/wire.ts';
import { core } from './bench.ts';

const info = { name: 'tasks', version: '1.0.0' };
const NEEDED = "import { tasks } from 'crosspoint/server/tasks'; server.use(tasks());";

test('bad options of tasks are refused where they are given', () => {
  expect(() => tasks({ ttlMs: 0 })).toThrow('The ttlMs of tasks must be at least 1, not 0.');
});

test.each([
  ['task', { task: 'optional' }],
  ['task options', { task: { support: 'required' } }],
  ['execution.taskSupport', { execution: { taskSupport: 'optional' } }],
] as const)('a tool with %s is refused on a server without tasks, in words that name the import', (_how, config) => {
  const server = new McpServer(info);
  expect(() => server.registerTool('run', config, () => text('ran'))).toThrow(NEEDED);
  server.registerTool('run', { task: 'forbidden' }, () => text('ran'));
});

test('tasks are declared with the first tool that may run as one, and refused twice', async () => {
  const server = new McpServer(info);
  const once = tasks();
  server.use(once);
  server.registerTool('plain', {}, () => text('plain'));
  expect(server.server.getCapabilities()).not.toHaveProperty('tasks');
  const before = await Wire.open(server);
  // As on a server without tasks, a wish for one says nothing.
  expect(await before.result('tools/call', { name: 'plain', task: {} }, core)).toEqual(text('plain'));
  server.registerTool('run', { task: 'optional' }, () => text('ran'));
  expect(server.server.getCapabilities()).toMatchObject({ tasks: { requests: { tools: { call: {} } } } });
  expect(() => server.use(tasks())).toThrow('The server has tasks already');
  expect(() => new Server(info).use(once)).toThrow('tasks() is for one server');
  expect(() => tasks().keepOwn(() => ({}) as never)).toThrow('Give the tasks to a server first');
  await server.close();
});

test('tasks are declared as the author says, who names the requests that may become tasks', () => {
  const declared = { tasks: { requests: { tools: { call: {} } } } };
  const server = new McpServer(info, { capabilities: declared });
  server.use(tasks());
  server.registerTool('run', { task: 'optional' }, () => text('ran'));
  expect(server.server.getCapabilities()).toMatchObject(declared);
  expect(server.server.getCapabilities().tasks).not.toHaveProperty('cancel');
});

test('a context says nothing of tasks on a server without them', async () => {
  const server = new McpServer(info);
  server.registerTool('look', {}, async (ctx) => {
    await ctx.beginTask();
    return text(JSON.stringify([ctx.task ?? null, ctx.taskId ?? null, ctx.taskStore ?? null]));
  });
  const wire = await Wire.open(server);
  expect(await wire.result('tools/call', { name: 'look' }, core)).toEqual(text('[null,null,null]'));
});
