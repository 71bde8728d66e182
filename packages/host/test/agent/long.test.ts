import { McpServer, text } from 'crosspoint/server';
import { tasks } from 'crosspoint/server/tasks';
import { afterEach, expect, it } from 'vitest';
import * as z from 'zod';
import { until } from '../../../crosspoint/test/until.ts';
import { ModelError } from '../../src/models/index.ts';
import { closeHosts, inProcess } from '../host/opened.ts';
import { eventsOf, heard, says, scene, typesOf, uses, type Answer } from './script.ts';

afterEach(closeHosts);

const LONG = Array.from({ length: 1000 }, (_, at) => `line ${at}`).join('\n');

function server(): McpServer {
  const made = new McpServer({ name: 'a', version: '1' });
  made.registerTool('long', {}, () => text(LONG));
  made.registerTool('page', { inputSchema: { page: z.number() } }, ({ page }) =>
    text(`Page ${page}. ${'word '.repeat(400)}`),
  );
  return made;
}

it('cuts a long result, and the model reads the rest from the store', async () => {
  const { host, model } = scene(
    [
      uses(['a__long']),
      uses(['read_result', { result: 'r1', offset: 1000 }], ['read_result', { result: 'r9' }]),
      uses(
        ['read_result', { result: 'r1', offset: LONG.length - 8 }],
        ['read_result', { result: 'r1', offset: 99_999 }],
      ),
      says('Read.'),
    ],
    { servers: { a: inProcess(server()) }, agentOptions: { maxResultCharacters: 1000 } },
  );
  await host.run('Read it.').result;
  const shown = model.requests.map(({ tools }) => tools?.some(({ name }) => name === 'read_result'));
  expect(shown).toEqual([false, true, true, true]);
  expect(heard(model.requests[1])[0]).toBe(
    `${LONG.slice(0, 1000)}\n[Cut after 1000 of ${LONG.length} characters. read_result with {"result": "r1", "offset": 1000} reads on.]`,
  );
  const [part, unknown] = heard(model.requests[2]);
  expect(part).toBe(
    `${LONG.slice(1000, 2000)}\n[Characters 1000 to 2000 of ${LONG.length}. The offset 2000 reads on.]`,
  );
  expect(unknown).toMatch(/^read_result needs the name of a result/);
  expect(heard(model.requests[3])).toEqual([
    `line 999\n[The end, after ${LONG.length} characters.]`,
    `r1 has ${LONG.length} characters: there is nothing after 99999.`,
  ]);
});

const pages = (count: number): Answer[] => [
  ...Array.from({ length: count }, (_, page) => uses(['a__page', { page }])),
  says('Done.'),
];

it('shortens older results first where the context of the model is known', async () => {
  const { host, model } = scene(pages(6), {
    servers: { a: inProcess(server()) },
    info: { contextTokens: 3000 },
    agentOptions: { maxTokens: 500 },
  });
  const run = host.run('Read all pages.');
  const events = await eventsOf(run);
  expect(typesOf(events)).toContain('shortened');
  expect((await run.result).reason).toBe('done');
  const results = (model.requests.at(-1)?.messages ?? [])
    .flatMap(({ content }) => content)
    .flatMap((block) => (block.type === 'tool-result' ? [JSON.stringify(block.content).length] : []));
  expect(results[0]).toBeLessThan(500);
  expect(results.at(-1)).toBeGreaterThan(2000);
  expect(model.requests.every(({ messages }) => JSON.stringify(messages).length / 4 < 3000)).toBe(true);
});

it('shortens and asks again where the provider says that it is too long, and ends where nothing is left', async () => {
  const tooLong = (limit: number): Answer[] =>
    Array.from({ length: 20 }, (_, page) => (request) => {
      if (JSON.stringify(request.messages).length > limit)
        throw new ModelError('prompt is too long', { kind: 'context-overflow', provider: 'scripted' });
      return page < 5 ? uses(['a__page', { page }]) : says('Done.');
    });
  const fitting = scene(tooLong(6000), { servers: { a: inProcess(server()) } });
  const run = fitting.host.run('Read all pages.');
  expect(typesOf(await eventsOf(run))).toContain('shortened');
  expect((await run.result).reason).toBe('done');
  const full = scene(tooLong(10), { servers: { a: inProcess(server()) } });
  expect(await full.host.run('Read all pages.').result).toMatchObject({
    reason: 'context-full',
    detail: 'The conversation is too long for the model "model-1", and no result is left to shorten.',
  });
});

it('shortens and asks again where an answer ends because the context is full', async () => {
  const { host } = scene(
    [
      ...pages(2).slice(0, 2),
      { content: [{ type: 'text', text: 'Half' }], stopReason: 'context-overflow' },
      says('Whole.'),
    ],
    { servers: { a: inProcess(server()) } },
  );
  const result = await host.run('Read.').result;
  expect(result).toMatchObject({ reason: 'done', text: 'Whole.', rounds: 3 });
  expect(result.usage.inputTokens).toBe(80);
  expect(JSON.stringify(result.messages)).not.toContain('Half');
});

it('lets a slow call go on, and gives the model its result later', async () => {
  let finish: () => void = () => {};
  const slow = server();
  slow.registerTool('slow', {}, async () => {
    await new Promise<void>((resolve) => (finish = resolve));
    return text('At last.');
  });
  const { host, model } = scene([uses(['a__slow'], ['a__page', { page: 1 }]), says('I wait.'), says('There it is.')], {
    servers: { a: inProcess(slow) },
    agentOptions: { goesOnAfterMs: 30 },
  });
  const run = host.run('Go.');
  const events: string[] = [];
  for await (const event of run) {
    events.push(event.type);
    if (event.type === 'message' && event.stopReason === 'end-turn') finish();
  }
  expect(events.filter((type) => type === 'goes-on')).toHaveLength(1);
  expect(heard(model.requests[1])).toEqual([
    'The call still runs. Its result comes in a later message, as r1. Go on with other work, or end your turn to wait for it; do not call it again.',
    expect.stringMatching(/^Page 1/),
  ]);
  expect(heard(model.requests[2])).toEqual([
    'The call r1 of a__slow, which went on, has ended. Its result:',
    'At last.',
  ]);
  expect((await run.result).text).toBe('There it is.');
});

it('waits for tasks of servers, while other calls are answered', async () => {
  const order: string[] = [];
  const working = new McpServer({ name: 'a', version: '1' });
  working.use(tasks());
  working.registerTool('report', { task: 'required' }, async () => {
    await until(() => order.includes('quick'), 'the other call is over');
    order.push('task');
    return text('The report.');
  });
  working.registerTool('quick', {}, () => {
    order.push('quick');
    return text('Quick.');
  });
  const { host, model } = scene([uses(['a__report'], ['a__quick']), says('Done.')], {
    servers: { a: inProcess(working) },
  });
  await host.run('Go.').result;
  expect(order).toEqual(['quick', 'task']);
  expect(heard(model.requests[1])).toEqual(['The report.', 'Quick.']);
});
