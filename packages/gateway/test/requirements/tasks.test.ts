import { afterEach, describe, expect } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { until } from '../../../crosspoint/test/until.ts';
import { closeAll } from '../carriers.ts';
import { authenticate } from '../raw/callers.ts';
import { faceOver, linesFace, session, shaken } from '../raw/faces.ts';
import { rawServer, type Message, type RawLines } from '../raw/lines.ts';
import { P, facts, newServer, oldServer, says } from '../raw/words.ts';

afterEach(closeAll);

const TASKS = `${P}tasks`;
const RELATED = `${P}related-task`;
const FORM = { message: 'Which?', requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } };
const ACCEPT = { action: 'accept', content: { a: 'b' } };
const TOOLS = ['required', 'optional', 'forbidden'].map((taskSupport) => ({
  name: taskSupport,
  inputSchema: { type: 'object' },
  execution: { taskSupport },
}));

interface OldTask {
  status: string;
  /** Answer to `tasks/result`. */
  end: object;
  /** Question that it asks while its result is awaited. */
  asks?: object;
}

/** A server with a handshake and tasks of the older generation, each of which is `task`. */
function oldTasks(task: OldTask) {
  const waiting: Message[] = [];
  const seen: Message[] = [];
  const words = () => ({
    taskId: 'up-1',
    status: task.status,
    createdAt: '2026-01-01T00:00:00Z',
    lastUpdatedAt: '2026-01-01T00:00:00Z',
    ttl: 60_000,
    pollInterval: 20,
  });
  const finish = (peer: RawLines): void => {
    for (const { id } of waiting.splice(0)) peer.send({ id, ...task.end });
  };
  const server = oldServer({
    capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    on: (message, peer) => {
      const { id, method, params } = message;
      seen.push(message);
      if (method === 'tools/list') peer.send({ id, result: { tools: TOOLS } });
      else if (method === 'tools/call') peer.send({ id, result: params.task ? { task: words() } : says('at once') });
      else if (method === 'tasks/get') peer.send({ id, result: words() });
      else if (method === 'tasks/cancel') {
        task.status = 'cancelled';
        peer.send({ id, result: words() });
      } else if (method === 'tasks/result') {
        waiting.push(message);
        if (task.asks === undefined) finish(peer);
        else
          peer.send({
            id: 'ask',
            method: 'elicitation/create',
            params: { ...task.asks, _meta: { [RELATED]: { taskId: 'up-1' } } },
          });
      } else if (id === 'ask') {
        task.status = 'completed';
        finish(peer);
      }
    },
  });
  return { server, seen, of: (method: string) => seen.filter((one) => one['method'] === method) };
}

const extended = (more: object = {}): object => ({ ...more, extensions: { [TASKS]: {} } });
const call = (id: number, name: string, capabilities: object): Message => ({
  id,
  method: 'tools/call',
  params: { name, _meta: facts(capabilities) },
});
let last = 100;

/** The task as a client without a session sees it. */
async function got(client: RawLines, taskId: string, capabilities: object = extended()): Promise<Message> {
  last += 1;
  client.send({ id: last, method: 'tasks/get', params: { taskId, _meta: facts(capabilities) } });
  return (await client.answer(last))['result'] as Message;
}

async function ended(client: RawLines, taskId: string): Promise<Message> {
  for (;;) {
    const task = await got(client, taskId);
    if (['completed', 'failed', 'cancelled'].includes(task['status'])) return task;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('tasks of a server with a handshake, for a client without a session', () => {
  proves('M-IOP-076').it.each(['required', 'optional'])('are asked for where the tool has them: %s', async (name) => {
    const { server, of } = oldTasks({ status: 'completed', end: { result: says('done') } });
    const { client } = await linesFace(server);
    client.send(call(1, name, extended()));
    const { result } = await client.answer(1);
    expect(result).toMatchObject({
      resultType: 'task',
      taskId: expect.any(String),
      status: 'working',
      ttlMs: 60_000,
      pollIntervalMs: 20,
    });
    for (const word of ['task', 'ttl', 'pollInterval']) expect(result).not.toHaveProperty(word);
    expect(of('tools/call').map(({ params }) => params.task)).toEqual([{}]);
    expect(result.taskId).not.toBe('up-1');
  });

  proves('M-IOP-076').test('are not asked for where the tool has none, or the client takes none', async () => {
    const { server, of } = oldTasks({ status: 'completed', end: { result: says('done') } });
    const { client } = await linesFace(server);
    client.send(call(1, 'forbidden', extended()), call(2, 'optional', {}));
    for (const id of [1, 2])
      expect((await client.answer(id))['result']).toMatchObject({ resultType: 'complete', ...says('at once') });
    expect(of('tools/call').every(({ params }) => params.task === undefined)).toBe(true);
  });

  proves('M-IOP-077').test(
    'have their result in them when they are over, without the words of the other generation',
    async () => {
      const { server } = oldTasks({
        status: 'completed',
        end: { result: says('done', { _meta: { [RELATED]: { taskId: 'up-1' }, 'acme/x': 1 } }) },
      });
      const { client } = await linesFace(server);
      client.send(call(1, 'required', extended()));
      const task = await ended(client, (await client.answer(1))['result'].taskId);
      expect(task).toMatchObject({
        resultType: 'complete',
        status: 'completed',
        result: says('done', { _meta: { 'acme/x': 1 } }),
      });
      expect(JSON.stringify(task)).not.toContain('related-task');
      expect(JSON.stringify(task)).not.toContain('up-1');
    },
  );

  proves('M-IOP-077').it.each([
    [
      'completed',
      { result: says('went wrong', { isError: true }) },
      { status: 'completed', result: { isError: true } },
    ],
    ['failed', { result: says('went wrong', { isError: true }) }, { status: 'completed', result: { isError: true } }],
    [
      'failed',
      { error: { code: 4711, message: 'broken' } },
      { status: 'failed', error: { code: 4711, message: 'broken' } },
    ],
  ])('that are %s with %o are told by what the result is', async (status, end, told) => {
    const { server } = oldTasks({ status, end });
    const { client } = await linesFace(server);
    client.send(call(1, 'required', extended()));
    expect(await ended(client, (await client.answer(1))['result'].taskId)).toMatchObject(told);
  });

  proves('M-IOP-078').test('have their questions in them, and the update answers the server', async () => {
    const { server, seen, of } = oldTasks({ status: 'input_required', end: { result: says('done') }, asks: FORM });
    const { client } = await linesFace(server);
    const able = extended({ elicitation: {} });
    client.send(call(1, 'required', able));
    const { taskId } = (await client.answer(1))['result'];
    let task = await got(client, taskId, able);
    for (; task['status'] !== 'input_required'; task = await got(client, taskId, able))
      await new Promise((resolve) => setTimeout(resolve, 20));
    const [[key, ask]] = Object.entries(task['inputRequests']) as [[string, Message]];
    expect(ask).toEqual({ method: 'elicitation/create', params: FORM });
    expect(of('tasks/result')).toHaveLength(1);
    client.send({
      id: 2,
      method: 'tasks/update',
      params: { taskId, inputResponses: { [key]: ACCEPT }, _meta: facts(able) },
    });
    expect((await client.answer(2))['result']).toMatchObject({ resultType: 'complete' });
    expect(await ended(client, taskId)).toMatchObject({ status: 'completed', result: says('done') });
    expect(seen.filter(({ id }) => id === 'ask').map(({ result }) => result)).toMatchObject([ACCEPT]);
  });

  proves('M-IOP-080').test('are pushed whole, and only to a listen that names them', async () => {
    const { server } = oldTasks({ status: 'completed', end: { result: says('done') } });
    const { client } = await linesFace(server);
    client.send(call(1, 'required', extended()), call(2, 'required', extended()));
    const [one, two] = [(await client.answer(1))['result'].taskId, (await client.answer(2))['result'].taskId];
    client.send({
      id: 'l',
      method: 'subscriptions/listen',
      params: { notifications: { taskIds: [one] }, _meta: facts(extended()) },
    });
    await client.said('notifications/subscriptions/acknowledged');
    await Promise.all([ended(client, one), ended(client, two)]);
    const pushed = await client.got(
      ({ method, params }) => method === 'notifications/tasks' && params.status === 'completed',
      'the end of the task',
    );
    expect(pushed['params']).toMatchObject({
      taskId: one,
      result: says('done'),
      _meta: { [`${P}subscriptionId`]: 'l' },
    });
    const others = client.received.filter(
      ({ method, params }) => method === 'notifications/tasks' && params.taskId !== one,
    );
    expect(others).toEqual([]);
    expect(client.received.map(({ method }) => method)).not.toContain('notifications/tasks/status');
  });
});

/** A server without sessions whose calls become tasks, each of which is `task`. */
function newTasks(task: { status: string; more?: object; makes?: boolean }) {
  const seen: Message[] = [];
  const words = () => ({
    taskId: 'up-1',
    status: task.status,
    createdAt: '2026-01-01T00:00:00Z',
    lastUpdatedAt: '2026-01-01T00:00:00Z',
    ttlMs: 60_000,
    pollIntervalMs: 20,
    ...task.more,
  });
  const server = newServer({
    capabilities: { tools: {}, extensions: { [TASKS]: {} } },
    on: (message, peer) => {
      const { id, method, params } = message;
      seen.push(message);
      const send = (result: object): void => peer.send({ id, result: { resultType: 'complete', ...result } });
      if (method === 'tools/list')
        send({ tools: [{ name: 'one', inputSchema: { type: 'object' } }], ttlMs: 0, cacheScope: 'private' });
      else if (method === 'tools/call')
        send(task.makes === false ? says('at once') : { ...words(), resultType: 'task' });
      else if (method === 'tasks/get') send(words());
      else if (method === 'tasks/cancel') {
        task.status = 'cancelled';
        send({});
      } else if (method === 'tasks/update') {
        Object.assign(task, { status: 'completed', more: { result: says(JSON.stringify(params.inputResponses)) } });
        send({});
      }
    },
  });
  return { server, seen, of: (method: string) => seen.filter((one) => one['method'] === method) };
}

const wish = (id: number, more: object = {}): Message => ({
  id,
  method: 'tools/call',
  params: { name: 'one', task: { ttl: 60_000 }, ...more },
});

describe('tasks of a server without sessions, for a client with one', () => {
  proves('M-IOP-079').test('are given to a client that asks for one, with all that its generation has', async () => {
    const state = { status: 'working', more: {} };
    const { server, of } = newTasks(state);
    const { client } = await linesFace(server);
    const { result: shake } = await shaken(client);
    expect(shake.capabilities.tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } });
    client.send(wish(1));
    const { task } = (await client.answer(1))['result'];
    expect(task).toMatchObject({ taskId: expect.any(String), status: 'working', ttl: expect.any(Number) });
    expect(JSON.stringify(task)).not.toMatch(/ttlMs|pollIntervalMs|resultType/);
    await until(() => of('tools/call').length === 1);
    expect(of('tools/call')[0]?.['params'].task).toBeUndefined();
    expect(of('tools/call')[0]?.['params']._meta[`${P}clientCapabilities`].extensions).toEqual({ [TASKS]: {} });
    const { taskId } = task;
    client.send(
      { id: 2, method: 'tasks/result', params: { taskId } },
      { id: 3, method: 'tasks/list' },
      { id: 4, method: 'tasks/get', params: { taskId } },
    );
    expect((await client.answer(3))['result'].tasks).toMatchObject([{ taskId }]);
    expect((await client.answer(4))['result']).toMatchObject({ taskId, status: 'working' });
    expect(client.received.some(({ id }) => id === 2)).toBe(false);
    Object.assign(state, { status: 'completed', more: { result: says('done') } });
    expect((await client.answer(2))['result']).toMatchObject({ ...says('done'), _meta: { [RELATED]: { taskId } } });
    client.send({ id: 5, method: 'tasks/cancel', params: { taskId } });
    expect(await client.answer(5)).toMatchObject({ error: { code: -32602 } });
  });

  proves('M-IOP-079').test('are cancelled at the server, and the client is told the task', async () => {
    const { server, of } = newTasks({ status: 'working' });
    const { client } = await linesFace(server);
    await shaken(client);
    client.send(wish(1));
    const { taskId } = (await client.answer(1))['result'].task;
    await until(() => of('tasks/get').length > 0);
    client.send({ id: 2, method: 'tasks/cancel', params: { taskId } });
    expect((await client.answer(2))['result']).toMatchObject({ taskId, status: 'cancelled' });
    await until(() => of('tasks/cancel').length === 1);
    expect(of('tasks/cancel')[0]?.['params']).toMatchObject({ taskId: 'up-1' });
  });

  proves('M-IOP-079').test('are waited for where the client did not ask for one', async () => {
    const state = { status: 'working', more: {} };
    const { server, of } = newTasks(state);
    const { client } = await linesFace(server);
    await shaken(client);
    client.send({ id: 1, method: 'tools/call', params: { name: 'one' } });
    await until(() => of('tasks/get').length > 1);
    Object.assign(state, { status: 'completed', more: { result: says('done') } });
    expect((await client.answer(1))['result']).toEqual(says('done'));
  });

  proves('M-IOP-079').test('are made by the bridge where the server makes none', async () => {
    const { server } = newTasks({ status: 'working', makes: false });
    const { client } = await linesFace(server);
    await shaken(client);
    client.send(wish(1));
    const { taskId } = (await client.answer(1))['result'].task;
    client.send({ id: 2, method: 'tasks/result', params: { taskId } });
    expect((await client.answer(2))['result']).toMatchObject(says('at once'));
  });

  proves('M-IOP-079').test('belong to their user', async () => {
    const { server } = newTasks({ status: 'working' });
    const { port } = await rawServer(server);
    const { where } = await faceOver('http', port, { handler: { authenticate } });
    const by = (token: string) => session(where as string, {}, { headers: { authorization: `Bearer ${token}` } });
    const [ada, bob] = [await by('ada'), await by('bob')];
    const { taskId } = (await (await ada.post(wish(1))).answer(1))['result'].task;
    expect((await (await bob.post({ id: 1, method: 'tasks/list' })).answer(1))['result'].tasks).toEqual([]);
    expect(await (await bob.post({ id: 2, method: 'tasks/get', params: { taskId } })).answer(2)).toMatchObject({
      error: { code: -32602 },
    });
    expect((await (await ada.post({ id: 2, method: 'tasks/list' })).answer(2))['result'].tasks).toHaveLength(1);
  });

  proves('M-IOP-079').test('ask their questions while the result is awaited', async () => {
    const { server, of } = newTasks({
      status: 'input_required',
      more: { inputRequests: { k: { method: 'elicitation/create', params: FORM } } },
    });
    const { client } = await linesFace(server);
    await shaken(client, { elicitation: {} });
    client.send(wish(1));
    const { taskId } = (await client.answer(1))['result'].task;
    client.send({ id: 2, method: 'tasks/result', params: { taskId } });
    const asked = await client.said('elicitation/create');
    expect(asked['params']._meta[RELATED]).toEqual({ taskId });
    client.send({ id: asked['id'], result: ACCEPT });
    expect((await client.answer(2))['result']).toMatchObject(says(JSON.stringify({ k: ACCEPT })));
    expect(of('tasks/update')[0]?.['params']).toMatchObject({ taskId: 'up-1', inputResponses: { k: ACCEPT } });
  });

  proves('M-IOP-080').test('are pushed without result and questions', async () => {
    const state = { status: 'working', more: {} };
    const { server, of } = newTasks(state);
    const { client } = await linesFace(server);
    await shaken(client);
    client.send(wish(1));
    await client.answer(1);
    await until(() => of('tasks/get').length > 0);
    Object.assign(state, { status: 'completed', more: { result: says('done') } });
    const pushed = await client.got(
      ({ method, params }) => method === 'notifications/tasks/status' && params.status === 'completed',
    );
    for (const word of ['result', 'error', 'inputRequests', 'resultType', 'ttlMs'])
      expect(pushed['params']).not.toHaveProperty(word);
  });
});

describe('tasks that a client would host', () => {
  const hosting = {
    elicitation: {},
    sampling: {},
    tasks: { requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
  };

  proves('M-IOP-081').test('are declared to no server of a client without a session', async () => {
    const { client, peers } = await linesFace(
      oldServer({ on: ({ id, method }, peer) => method === 'tools/call' && peer.send({ id, result: says('done') }) }),
    );
    client.send(call(1, 'one', hosting));
    await client.answer(1);
    const shake = peers.flatMap(({ received }) => received.filter(({ method }) => method === 'initialize'));
    expect(shake[0]?.['params'].capabilities).toEqual({ elicitation: {}, sampling: {} });
  });

  proves('M-IOP-081').test('are asked of a client without a session as plain questions', async () => {
    const { client, peers } = await linesFace(
      oldServer({
        on: ({ method }, peer) =>
          method === 'tools/call' &&
          peer.send({ id: 'q', method: 'elicitation/create', params: { ...FORM, task: { ttl: 1000 } } }),
      }),
    );
    client.send(call(1, 'one', { elicitation: {} }));
    const answer = await client.answer(1);
    const { inputRequests, requestState } = answer['result'];
    expect(Object.values(inputRequests)).toEqual([{ method: 'elicitation/create', params: FORM }]);
    const retry = { requestState, inputResponses: { [Object.keys(inputRequests)[0] ?? '']: ACCEPT } };
    const again = call(2, 'one', { elicitation: {} });
    client.send({ ...again, params: { ...again['params'], ...retry } });
    const server = peers.find(({ received }) => received.some(({ method }) => method === 'tools/call'));
    expect((await server?.answer('q'))?.['result']).toEqual(ACCEPT);
  });

  proves('M-IOP-081').test('are not in the words to a server without sessions', async () => {
    const { server, of } = newTasks({ status: 'working', makes: false });
    const { client } = await linesFace(server);
    await shaken(client, hosting);
    client.send({ id: 1, method: 'tools/call', params: { name: 'one' } });
    await client.answer(1);
    expect(of('tools/call')[0]?.['params']._meta[`${P}clientCapabilities`]).not.toHaveProperty('tasks');
  });
});

describe('taskSupport of tools', () => {
  proves('M-IOP-082').test('is removed towards a client without a session', async () => {
    const { server } = oldTasks({ status: 'working', end: {} });
    const { client } = await linesFace(server);
    client.send({ id: 1, method: 'tools/list', params: { _meta: facts(extended()) } });
    expect((await client.answer(1))['result'].tools.map((tool: object) => Object.keys(tool))).toEqual(
      [1, 2, 3].map(() => ['name', 'inputSchema']),
    );
  });

  proves('M-IOP-082').test('is added towards a client with one where the bridge has tasks for the server', async () => {
    const { client } = await linesFace(newTasks({ status: 'working' }).server);
    await shaken(client);
    client.send({ id: 1, method: 'tools/list' });
    expect((await client.answer(1))['result'].tools).toMatchObject([
      { name: 'one', execution: { taskSupport: 'optional' } },
    ]);
  });

  proves('M-IOP-082').test('is not added for a server without tasks', async () => {
    const sent: Message[] = [];
    const plain = newServer({
      on: (message, peer) => {
        sent.push(message);
        const { id, method } = message;
        const tools = [{ name: 'one', inputSchema: { type: 'object' } }];
        const list = { tools, ttlMs: 0, cacheScope: 'private' };
        peer.send({ id, result: { resultType: 'complete', ...(method === 'tools/list' ? list : says('at once')) } });
      },
    });
    const { client } = await linesFace(plain);
    expect((await shaken(client))['result'].capabilities).not.toHaveProperty('tasks');
    client.send({ id: 1, method: 'tools/list' });
    expect((await client.answer(1))['result'].tools).toEqual([{ name: 'one', inputSchema: { type: 'object' } }]);
    client.send(wish(2));
    expect((await client.answer(2))['result']).toEqual(says('at once'));
    expect(sent.find(({ method }) => method === 'tools/call')?.['params']).not.toHaveProperty('task');
  });

  proves('M-IOP-082').test('passes between two sides with sessions', async () => {
    const { server } = oldTasks({ status: 'working', end: {} });
    const { client } = await linesFace(server);
    await shaken(client);
    client.send({ id: 1, method: 'tools/list' });
    expect((await client.answer(1))['result'].tools).toEqual(TOOLS);
  });
});
