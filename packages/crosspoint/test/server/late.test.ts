import { describe, expect, test } from 'vitest';
import { LateModule, LateOwn } from '../../src/server/late.ts';
import { REPLAYS, TASK_PARTS } from '../../src/server/late-parts.ts';
import { McpServer, text } from '../../src/server/index.ts';
import { answer, connectLinked } from '../../src/testing/index.ts';

describe('what is loaded late', () => {
  test('is loaded once, those who wait go on in order, and what has failed is tried anew', async () => {
    let tries = 0;
    const module = new LateModule(async () => {
      tries += 1;
      if (tries === 1) throw new Error('not there');
      return { tries };
    });
    await expect(module.load()).rejects.toThrow('not there');
    expect(module.value).toBeUndefined();
    const order: number[] = [];
    await Promise.all([1, 2, 3].map(async (turn) => module.load().then(() => order.push(turn))));
    expect(order).toEqual([1, 2, 3]);
    expect(module.value).toEqual({ tries: 2 });
    expect(tries).toBe(2);
  });

  test('is made once for each who needs it, and not for the sake of asking', async () => {
    const module = new LateModule(async () => ({ size: 3 }));
    let made = 0;
    const own = new LateOwn(module, ({ size }) => ({ size, made: (made += 1) }));
    expect([own.value, own.begun]).toEqual([undefined, undefined]);
    const loading = own.load();
    expect(own.begun).toBe(loading);
    expect(await loading).toEqual({ size: 3, made: 1 });
    expect(own.value).toBe(await own.load());
    const other = new LateOwn(module, () => 'other');
    expect(other.begun).toBeUndefined();
    expect(other.value).toBe('other');
  });
});

const form = (message: string) => ({
  message,
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } } },
});

test('the first questions of a process are asked in order and as they were, though what asks them is loaded meanwhile', async () => {
  const server = new McpServer({ name: 'asks', version: '1.0.0' });
  server.registerTool('greet', {}, async ({ elicit, step }) => {
    const first = form('first');
    const asked = [elicit(first), elicit(form('second'))];
    first.message = 'changed';
    const answers = await Promise.all(asked);
    const done = await step('done', () => answers.map(({ content }) => content?.['name']).join(' and '));
    return text(done);
  });
  expect(REPLAYS.value).toBeUndefined();
  const { client, answers, close } = await connectLinked(server, {
    answers: [answer.accept({ name: 'Ann' }), answer.accept({ name: 'Bob' })],
  });
  const result = await client.callTool({ name: 'greet' });
  expect(result.content).toEqual([{ type: 'text', text: 'Ann and Bob' }]);
  expect(answers.asked.map(({ params }) => params['message'])).toEqual(['first', 'second']);
  expect(REPLAYS.value).toBeDefined();
  await close();
});

test('a question that nobody waits for does not keep the first call of a process from its end', async () => {
  const server = new McpServer({ name: 'asks', version: '1.0.0' });
  server.registerTool('shrug', {}, ({ elicit }) => {
    elicit(form('never mind')).catch(() => {});
    return text('done');
  });
  const { client, close } = await connectLinked(server, { capabilities: { elicitation: {} } });
  const result = await client.callTool({ name: 'shrug' });
  expect(result.content).toEqual([{ type: 'text', text: 'done' }]);
  await close();
});

test('bad options of tasks are refused where they are given, and a server that runs none loads none', async () => {
  expect(() => {
    const server = new McpServer({ name: 'tasks', version: '1.0.0' }, { tasks: { ttlMs: 0 } });
    server.registerTool('run', { task: 'optional' }, () => text('ran'));
  }).toThrow('The ttlMs of tasks must be a positive number.');
  const server = new McpServer({ name: 'tasks', version: '1.0.0' });
  server.registerTool('run', { task: 'optional' }, () => text('ran'));
  expect(server.server.getCapabilities().tasks).toBeDefined();
  await server.close();
  expect(TASK_PARTS.value).toBeUndefined();
});
