import { McpServer, text } from 'crosspoint/server';
import { memoryStore, type Store } from 'crosspoint/stores';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { closeHosts, inProcess } from '../host/opened.ts';
import { openTwice, STORES } from '../stores.ts';
import { heard, says, scene, uses } from './script.ts';

afterEach(closeHosts);

interface Counted {
  readonly server: McpServer;
  readonly runs: string[];
  readonly release: () => void;
}

function counted(): Counted {
  const runs: string[] = [];
  const waiting: (() => void)[] = [];
  const server = new McpServer({ name: 'a', version: '1' });
  server.registerTool('act', {}, () => {
    runs.push('act');
    return text('Acted.');
  });
  server.registerTool('hang', {}, async () => {
    runs.push('hang');
    await new Promise<void>((resolve) => waiting.push(resolve));
    return text('Hung.');
  });
  return { server, runs, release: () => waiting.splice(0).forEach((resolve) => resolve()) };
}

describe.each(STORES)('with the store %s', (name) => {
  it('is taken over: the first process does nothing more, and the second knows what was done', async () => {
    const [one, two] = openTwice(name);
    const { server, runs, release } = counted();
    const first = scene([uses(['a__act'], ['a__hang']), says('Never.')], {
      servers: { a: inProcess(server) },
      store: one,
    });
    const run = first.host.run('Act.');
    await until(() => runs.length === 2, 'both tools run');
    await vi.waitFor(async () => expect(await one.keys(`host/runs/${run.id}/steps/`)).toHaveLength(5));
    const other = counted();
    const second = scene([says('Done.')], { servers: { a: inProcess(other.server) }, store: two });
    const resumed = await second.host.resume(run.id).result;
    expect(resumed).toMatchObject({ reason: 'done', text: 'Done.' });
    expect(other.runs).toEqual([]);
    expect(heard(second.model.requests[0])).toEqual([
      'Acted.',
      expect.stringMatching(/outcome of the call is not known/),
    ]);
    release();
    expect(await run.result).toMatchObject({ reason: 'taken-over' });
    expect(first.model.requests).toHaveLength(1);
  });
});

/** A store as a crash at this moment leaves it. */
async function copied(store: Store, run: string): Promise<Store> {
  const copy = memoryStore();
  for (const key of await store.keys(`host/runs/${run}/`)) await copy.put(key, (await store.get(key))?.value ?? null);
  return copy;
}

/** A store that fails from its nth step of a run on. */
function failing(step: number): Store {
  const store = memoryStore();
  const put = store.put.bind(store);
  let steps = 0;
  store.put = async (key, value, options) => {
    if (key.startsWith('host/runs/') && (steps += 1) >= step) throw new Error('The disk is full.');
    return put(key, value, options);
  };
  return store;
}

it.each([1, 2, 3])('does nothing that it cannot write down: the store fails at step %i', async (step) => {
  const { server, runs } = counted();
  const { host } = scene([uses(['a__act']), says('Done.')], {
    servers: { a: inProcess(server) },
    store: failing(step),
  });
  expect(await host.run('Act.').result).toMatchObject({ reason: 'failed', detail: 'The disk is full.' });
  expect(runs).toEqual([]);
});

it('still knows which servers had a say in the conversation', async () => {
  const store = memoryStore();
  const options = {
    store,
    policy: {
      rules: [{ effect: 'deny' as const, server: 'b', influencedBy: 'a' }],
      default: { call: 'allow' as const },
    },
  };
  const servers = () => ({ a: inProcess(counted().server), b: inProcess(counted().server) });
  const first = scene([uses(['a__act']), says('Half.')], { ...options, servers: servers() });
  const run = first.host.run('Act.', { budget: { rounds: 1 } });
  expect((await run.result).reason).toBe('rounds');
  await first.host.close();
  const second = scene([uses(['b__act']), says('Done.')], { ...options, servers: servers() });
  await second.host.resume(run.id, { budget: { rounds: 9 } }).result;
  expect(heard(second.model.requests[1])[0]).toMatch(/^The call of b__act was refused/);
});

it('gives a view the state that it had', async () => {
  const store = memoryStore();
  const given: unknown[] = [];
  const view = (_: unknown, state: unknown) => {
    given.push(state);
    return {
      tools: () => [],
      answers: (name: string) => name === 'find',
      answer: () => text('Found.'),
      state: { loaded: ['x'] },
    };
  };
  const first = scene([uses(['find']), says('Half.')], { store, agentOptions: { view } });
  const run = first.host.run('Find.', { budget: { rounds: 1 } });
  await run.result;
  const second = scene([says('Done.')], { store, agentOptions: { view } });
  expect(await second.host.resume(run.id, { budget: { rounds: 2 } }).result).toMatchObject({ reason: 'done' });
  expect(given).toEqual([undefined, { loaded: ['x'] }]);
});

it('goes on with a call that the model was told of, and tells it that the outcome is not known', async () => {
  const store = memoryStore();
  const { server, runs } = counted();
  const first = scene([uses(['a__hang']), uses(['a__act']), says('x')], {
    store,
    servers: { a: inProcess(server) },
    agentOptions: { goesOnAfterMs: 20 },
  });
  const run = first.host.run('Go.');
  await until(() => runs.includes('act'), 'the model has gone on');
  const copy = await copied(store, run.id);
  await first.host.close();
  const second = scene([says('Done.')], { store: copy, servers: { a: inProcess(counted().server) } });
  const result = await second.host.resume(run.id).result;
  const text = JSON.stringify(result.messages);
  expect(text).toContain('The call r1 of a__hang, which went on, has failed. Its result:');
  expect(text).toContain('the outcome of the call is not known');
  expect(result.reason).toBe('done');
});

it.each([
  [true, 1],
  [false, 0],
])('calls a tool again that says it only reads, if its server is trusted: %s', async (isTrusted, again) => {
  const reading = (): Counted => {
    const made = counted();
    made.server.registerTool('read', { annotations: { readOnlyHint: true } }, async () => {
      made.runs.push('read');
      if (runsOnce) await new Promise(() => {});
      return text('Read.');
    });
    return made;
  };
  let runsOnce = true;
  const store = memoryStore();
  const one = reading();
  const first = scene([uses(['a__read']), says('x')], {
    store,
    servers: { a: { ...inProcess(one.server), isTrusted } },
  });
  const run = first.host.run('Read.');
  await until(() => one.runs.includes('read'), 'the tool runs');
  const copy = await copied(store, run.id);
  await first.host.close();
  runsOnce = false;
  const two = reading();
  const second = scene([says('Done.')], { store: copy, servers: { a: { ...inProcess(two.server), isTrusted } } });
  await second.host.resume(run.id).result;
  expect(two.runs).toHaveLength(again);
  expect(heard(second.model.requests[0])[0]).toMatch(isTrusted ? /^Read\.$/ : /outcome of the call is not known/);
});

it('says further words after the results of calls that were open, as providers want it', async () => {
  const store = memoryStore();
  const { server } = counted();
  const first = scene([uses(['a__act'], ['a__act']), says('x')], {
    store,
    policy: {},
    servers: { a: inProcess(server) },
  });
  const run = first.host.run('Go.');
  await until(() => first.host.inbox.list({ kind: 'call' }).length === 2, 'the user is asked');
  run.cancel();
  await run.result;
  await first.host.close();
  const second = scene([says('Done.')], { store, servers: { a: inProcess(counted().server) } });
  const { reason } = await second.host.resume(run.id, { messages: 'And quickly.' }).result;
  expect(reason).toBe('done');
  const [request] = second.model.requests;
  const shape = request?.messages.map(({ role, content }) => `${role}: ${content.map(({ type }) => type).join(' ')}`);
  expect(shape).toEqual([
    'user: text',
    'assistant: text tool-use tool-use',
    'user: tool-result tool-result',
    'user: text',
  ]);
});

it('keeps no use of a tool of an answer that was refused: nothing will answer it', async () => {
  const { host, model } = scene([{ ...uses(['a__act']), stopReason: 'refused' }, says('Done.')]);
  const run = host.run('Go.');
  expect(await run.result).toMatchObject({ reason: 'refused' });
  expect(await host.resume(run.id, { messages: 'Otherwise, then.' }).result).toMatchObject({ reason: 'done' });
  expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('tool-use');
});
