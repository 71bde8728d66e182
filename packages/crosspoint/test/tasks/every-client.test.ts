import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/index.ts';
import { text } from '../../src/server/index.ts';
import { connectLinked } from '../../src/testing/linked.ts';
import type { Revision } from '../../src/revisions/revision.ts';
import { everyRevision } from '../server/wire.ts';
import { Bench } from './bench.ts';

const answering = {
  capabilities: { elicitation: { form: {} } },
  prepare: (client: Client) =>
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } })),
};

const hasTasks = (revision: Revision): boolean =>
  revision.methods.has('tasks/result') || revision.family === 'per-request';
const canAsk = (revision: Revision): boolean =>
  revision.methods.has('elicitation/create') || revision.family === 'per-request';

describe.each(everyRevision)('one tool and a client of %s', (id, revision) => {
  test('gives the same result when it is called, and when it is started and waited for', async () => {
    const bench = new Bench({ tasks: { pollIntervalMs: 5 } });
    const { client, close } = await connectLinked(bench.server, { revision: id, ...answering });
    for (const key of ['a', 'b']) bench.gate(key).open('well');
    const called = await client.callTool({ name: 'slow', arguments: { key: 'a' } });
    expect(called.content).toEqual(text('slow a well').content);
    await client.listTools();
    const handle = await client.startTask({ name: 'slow', arguments: { key: 'b' } });
    expect(handle.taskId !== undefined).toBe(hasTasks(revision));
    expect((await handle.wait()).content).toEqual(text('slow b well').content);
    await close();
  });
});

test.each(everyRevision.filter(([, revision]) => canAsk(revision)))(
  'a client of %s is asked the same inside a task and outside of one',
  async (id) => {
    const bench = new Bench({ tasks: { pollIntervalMs: 5 } });
    const { client, close } = await connectLinked(bench.server, { revision: id, ...answering });
    await client.listTools();
    expect((await client.callTool({ name: 'asks' })).content).toEqual(text('Hello, Ada!').content);
    const handle = await client.startTask({ name: 'asks' });
    expect((await handle.wait()).content).toEqual(text('Hello, Ada!').content);
    await close();
  },
);

test.each(everyRevision.filter(([, revision]) => hasTasks(revision)))(
  'a client of %s finds its task again from another connection, and can cancel it',
  async (id) => {
    const bench = new Bench({ tasks: { pollIntervalMs: 5 } });
    const first = await connectLinked(bench.server, { revision: id, ...answering });
    await first.client.listTools();
    const { taskId } = await first.client.startTask({ name: 'slow', arguments: { key: 'a' } });
    const other = await first.client.startTask({ name: 'slow', arguments: { key: 'b' } });
    await first.close();
    const second = await connectLinked(bench.server, { revision: id, ...answering });
    const handle = second.client.resumeTask(String(taskId));
    expect((await handle.status())?.status).toBe('working');
    bench.gate('a').open('later');
    expect((await handle.wait()).content).toEqual(text('slow a later').content);
    await second.client.resumeTask(String(other.taskId)).cancel();
    expect(bench.did).toContain('aborted:b');
    await second.close();
  },
);
