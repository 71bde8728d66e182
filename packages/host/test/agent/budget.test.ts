import { McpServer, text } from 'crosspoint/server';
import { memoryStore } from 'crosspoint/stores';
import { afterEach, expect, it } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { ModelError } from '../../src/models/index.ts';
import { closeHosts, inProcess } from '../host/opened.ts';
import { eventsOf, heard, says, scene, typesOf, uses } from './script.ts';

afterEach(closeHosts);

function server(): McpServer {
  const made = new McpServer({ name: 'a', version: '1' });
  made.registerTool('look', {}, () => text('Nothing.'));
  return made;
}

const USAGE = { inputTokens: 20, outputTokens: 10, cachedTokens: 0, cacheWriteTokens: 0, cost: 0.01 };

it.each([
  ['rounds', { rounds: 2 }, 2],
  ['tokens', { tokens: 50 }, 2],
  ['cost', { cost: 0.015 }, 2],
] as const)('ends when its %s are used up, and goes on with more', async (reason, budget, rounds) => {
  const look = { ...uses(['a__look']), usage: USAGE };
  const { host } = scene([look, look, look, { ...says('Found.'), usage: USAGE }], {
    servers: { a: inProcess(server()) },
  });
  const run = host.run('Look.', { budget });
  const first = await run.result;
  expect(first).toMatchObject({ reason, rounds });
  expect(first.detail).toMatch(/limit of the run|of 50|of \$0\.015/);
  const again = await host.resume(run.id).result;
  expect(again).toMatchObject({ reason, rounds });
  const more = await host.resume(run.id, { budget: { [reason]: Infinity } }).result;
  expect(more).toMatchObject({ reason: 'done', text: 'Found.', rounds: 4 });
  expect(more.usage).toMatchObject({ inputTokens: 80, cost: 0.04 });
});

it('lets an answer have no more tokens than the budget', async () => {
  const { host, model } = scene([says('Hi')]);
  await host.run('Hello', { budget: { tokens: 100 } }).result;
  await host.run('Hello').result;
  expect(model.requests.map(({ maxTokens }) => maxTokens)).toEqual([100, 8192]);
});

it('ends when its time is over: the call is cancelled at its server, and the model is told when it goes on', async () => {
  const aborted: string[] = [];
  const made = server();
  made.registerTool('wait', {}, async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    aborted.push('cancelled');
    return text('late');
  });
  const { host, model } = scene([uses(['a__wait']), says('Over.')], { servers: { a: inProcess(made) } });
  const run = host.run('Wait.', { budget: { ms: 200 } });
  expect(await run.result).toMatchObject({ reason: 'time', detail: 'The run has taken its 200 ms.' });
  await until(() => aborted.length === 1, 'the server is told');
  expect(await host.resume(run.id, { budget: { ms: 60_000 } }).result).toMatchObject({ reason: 'done', text: 'Over.' });
  expect(heard(model.requests[1])[0]).toMatch(/^The call of a__wait was cancelled while it ran\. Whether/);
  expect(aborted).toHaveLength(1);
});

it('is cancelled by cancel, a signal, and the end of the host; a call that waits for approval is made when it goes on', async () => {
  const store = memoryStore();
  const script = [uses(['a__look']), says('Over.')];
  const { host } = scene(script, { servers: { a: inProcess(server()) }, policy: {}, store });
  const run = host.run('Look.');
  await until(() => host.inbox.list({ kind: 'call' }).length === 1, 'the user is asked');
  run.cancel('Enough.');
  expect(await run.result).toMatchObject({ reason: 'cancelled', detail: 'Enough.' });
  expect(host.inbox.list()).toEqual([]);
  const stop = new AbortController();
  const other = host.run('Look.', { signal: stop.signal });
  stop.abort(new Error('Stopped.'));
  expect(await other.result).toMatchObject({ reason: 'cancelled', detail: 'Stopped.' });
  const third = host.run('Look.');
  await host.close();
  expect(await third.result).toMatchObject({ reason: 'cancelled', detail: 'The host is closing.' });
  const later = scene([says('Over.')], { servers: { a: inProcess(server()) }, store });
  const resumed = later.host.resume(run.id);
  expect(typesOf(await eventsOf(resumed))).toEqual(['begin', 'call', 'result', 'message', 'usage', 'end']);
  expect(heard(later.model.requests[0])).toEqual(['Nothing.']);
});

it('asks a model that cannot end to go on', async () => {
  const half = { content: [{ type: 'text' as const, text: 'Half' }], stopReason: 'max-tokens' as const };
  const { host, model } = scene([half, says('Whole.')]);
  const run = host.run('Write.');
  expect(await run.result).toMatchObject({ reason: 'max-tokens', text: 'Half' });
  expect(await host.resume(run.id).result).toMatchObject({ reason: 'done', text: 'Whole.' });
  expect(heard(model.requests[1])).toEqual(['Your answer was cut off. Go on exactly where it ended.']);
});

it('sends a paused answer back as it is, and ends with a refusal, whose tools are not called', async () => {
  const { host, model } = scene(
    [
      { ...says('Wait'), stopReason: 'paused' },
      { ...uses(['a__look']), stopReason: 'refused', stopDetail: 'refusal' },
    ],
    { servers: { a: inProcess(server()) } },
  );
  const run = host.run('Do it.');
  const result = await run.result;
  expect(result).toMatchObject({ reason: 'refused', detail: 'The model refused to answer (refusal).', rounds: 2 });
  expect(model.requests[1]?.messages.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Wait' }] });
  expect(await host.resume(run.id).result).toMatchObject({ reason: 'refused' });
  expect(model.requests).toHaveLength(2);
});

it('goes on with further words after its end, as the same run', async () => {
  const { host, model } = scene([says('One.'), says('Two.')]);
  const run = host.run('First?');
  await run.result;
  expect(await host.resume(run.id).result).toMatchObject({ reason: 'done', text: 'One.' });
  expect(await host.resume(run.id, { messages: 'Second?' }).result).toMatchObject({
    reason: 'done',
    text: 'Two.',
    rounds: 2,
  });
  expect(model.requests).toHaveLength(2);
  expect(model.requests[1]?.messages).toHaveLength(3);
});

it('asks again after a passing failure, counts the tokens of both, and ends with one that does not pass', async () => {
  let failures = 0;
  const { host } = scene([
    () => {
      if ((failures += 1) > 1) return says('There.');
      const partial = { content: [], usage: USAGE };
      throw new ModelError('cut off', { kind: 'interrupted', provider: 'scripted', partial });
    },
  ]);
  const run = host.run('Hello');
  expect(typesOf(await eventsOf(run))).toEqual(['begin', 'again', 'message', 'usage', 'end']);
  expect((await run.result).usage.inputTokens).toBe(40);
  const bad = scene([
    () => {
      throw new ModelError('The key is wrong.', { kind: 'auth', provider: 'scripted' });
    },
  ]);
  const { reason, error } = await bad.host.run('Hello').result;
  expect([reason, (error as ModelError).kind]).toEqual(['failed', 'auth']);
});

it('refuses ids that are taken, and resumes no run that was never begun', async () => {
  const { host } = scene([says('Hi')]);
  await host.run('Hello', { id: 'mine' }).result;
  expect(await host.run('Hello', { id: 'mine' }).result).toMatchObject({
    reason: 'failed',
    detail: 'There is a run "mine" already: resume it, or take another id.',
  });
  expect(await host.resume('other').result).toMatchObject({
    reason: 'failed',
    detail: 'There is no run "other": it was never begun, or is not kept any more.',
  });
});

it('ends with the budget where an answer was cut because of it, and runs nothing once the host is closed', async () => {
  const half = { content: [{ type: 'text' as const, text: 'Half' }], stopReason: 'max-tokens' as const, usage: USAGE };
  const { host } = scene([half, says('Whole.')]);
  const run = host.run('Write.', { budget: { tokens: 30 } });
  expect(await run.result).toMatchObject({ reason: 'tokens', detail: 'The run has used 30 tokens of 30.' });
  expect(await host.resume(run.id, { budget: { tokens: 90 } }).result).toMatchObject({
    reason: 'done',
    text: 'Whole.',
  });
  await host.close();
  expect(() => host.run('Hello')).toThrow('The host is closed');
});

it('calls no more than 64 tools for one answer', async () => {
  const { host, model } = scene([uses(...Array.from({ length: 66 }, () => ['a__look'] as const)), says('Enough.')], {
    servers: { a: inProcess(server()) },
  });
  await host.run('Look.').result;
  const words = heard(model.requests[1]);
  expect(words.filter((text) => text === 'Nothing.')).toHaveLength(64);
  expect(words.at(-1)).toMatch(/^At most 64 tools/);
});
