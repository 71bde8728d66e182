import { memoryStore } from 'crosspoint/server';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { closeAll } from '../carriers.ts';
import { linesFace } from '../raw/faces.ts';
import type { Message, RawLines } from '../raw/lines.ts';
import { facts, oldServer, says } from '../raw/words.ts';

afterEach(closeAll);

const FORM = { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const ACCEPT = { action: 'accept', content: { name: 'Ada' } };
const ABLE = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** Asks a form and then for a sample, and answers with both answers. */
const asking = () => {
  const told: unknown[] = [];
  let call: Message = {};
  return oldServer({
    on: (message, peer) => {
      const { id, method, result, error } = message;
      if (method === 'tools/call') {
        call = message;
        peer.send({ id: 'form', method: 'elicitation/create', params: FORM });
      } else if (id === 'form') {
        told.push(result ?? error);
        peer.send({ id: 'sample', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
      } else if (id === 'sample') {
        told.push(result ?? error);
        peer.send({ id: call['id'], result: says(JSON.stringify(told)) });
      }
    },
  });
};

let last = 10;
async function request(client: RawLines, method: string, params: object): Promise<Message> {
  last += 1;
  client.send({ id: last, method, params: { ...params, _meta: facts(ABLE) } });
  return (await client.answer(last))['result'] as Message;
}

async function inState(client: RawLines, taskId: string, status: string): Promise<Message> {
  for (;;) {
    const task = await request(client, 'tasks/get', { taskId });
    if (task['status'] === status) return task;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('a call that asks, with questions as tasks', () => {
  it('becomes a task of which the questions are part, and a question that cannot be asked is refused to the server', async () => {
    const { client, peers } = await linesFace(asking(), { bridge: { questions: 'tasks' } });
    const { taskId, resultType } = await request(client, 'tools/call', { name: 'one' });
    expect(resultType).toBe('task');
    const asked = await inState(client, taskId, 'input_required');
    const [[key, ask]] = Object.entries(asked['inputRequests']) as [[string, Message]];
    expect(ask).toEqual({ method: 'elicitation/create', params: FORM });
    await request(client, 'tasks/update', { taskId, inputResponses: { [key]: ACCEPT } });
    const { result } = await inState(client, taskId, 'completed');
    expect(JSON.parse(result.content[0].text)).toMatchObject([ACCEPT, { code: expect.any(Number) }]);
    expect(peers.flatMap(({ received }) => received.filter(({ method }) => method === 'tools/call'))).toHaveLength(1);
  });

  it.each([
    [
      'cannot be asked is refused to the server',
      { mode: 'url', message: 'Go', url: 'https://example.com', elicitationId: 'e' },
    ],
    ['is withdrawn is not waited for', FORM],
  ])('goes on when a question %s', async (_what, params) => {
    const { client, peers } = await linesFace(
      oldServer({
        on: ({ id, method, error }, peer) => {
          if (method === 'tools/call') peer.send({ id: 'form', method: 'elicitation/create', params: FORM });
          if (id === 'form') peer.send({ id: 'next', method: 'elicitation/create', params });
          if (id === 'next' && error) end();
        },
      }),
      { bridge: { questions: 'tasks' } },
    );
    const server = () =>
      peers.find(({ received }) => received.some(({ method }) => method === 'tools/call')) as RawLines;
    const end = (): void =>
      void server()
        .said('tools/call')
        .then(({ id }) => server().send({ id, result: says('done') }));
    const { taskId } = await request(client, 'tools/call', { name: 'one' });
    const { inputRequests } = await inState(client, taskId, 'input_required');
    await request(client, 'tasks/update', {
      taskId,
      inputResponses: { [Object.keys(inputRequests)[0] as string]: ACCEPT },
    });
    await server().answer('form');
    if (params === FORM) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      end();
    }
    expect(await inState(client, taskId, 'completed')).toMatchObject({ result: says('done') });
  });

  it('is cancelled at the server with its task', async () => {
    const { client, peers } = await linesFace(asking(), { bridge: { questions: 'tasks' } });
    const { taskId } = await request(client, 'tools/call', { name: 'one' });
    await inState(client, taskId, 'input_required');
    await request(client, 'tasks/cancel', { taskId });
    await until(() =>
      peers.some(({ received }) => received.some(({ method }) => method === 'notifications/cancelled')),
    );
  });

  it('is cancelled at the server when its task is cancelled before it goes on', async () => {
    const store = memoryStore();
    const remove = store.delete.bind(store);
    let isReached = false;
    let goOn = (): void => {};
    const slow = new Promise<void>((resolve) => (goOn = resolve));
    store.delete = async (key, version) => {
      if (key.startsWith('bridge/park/')) {
        isReached = true;
        await slow;
      }
      return remove(key, version);
    };
    const { client, peers } = await linesFace(asking(), { bridge: { questions: 'tasks', store } });
    const { taskId } = await request(client, 'tools/call', { name: 'one' });
    await until(() => isReached);
    await request(client, 'tasks/cancel', { taskId });
    goOn();
    await until(() =>
      peers.some(({ received }) => received.some(({ method }) => method === 'notifications/cancelled')),
    );
  });

  it('is asked in rounds where the client has no tasks', async () => {
    const { client } = await linesFace(asking(), { bridge: { questions: 'tasks' } });
    client.send({ id: 1, method: 'tools/call', params: { name: 'one', _meta: facts({ elicitation: {} }) } });
    expect((await client.answer(1))['result'].resultType).toBe('input_required');
  });

  it('stays a call where it does not ask', async () => {
    const { client } = await linesFace(
      oldServer({ on: ({ id, method }, peer) => method === 'tools/call' && peer.send({ id, result: says('done') }) }),
      {
        bridge: { questions: 'tasks' },
      },
    );
    expect(await request(client, 'tools/call', { name: 'one' })).toMatchObject({
      resultType: 'complete',
      ...says('done'),
    });
  });
});
