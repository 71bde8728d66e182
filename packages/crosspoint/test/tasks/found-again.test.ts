import { expect, test } from 'vitest';
import { text } from '../../src/server/index.ts';
import { connectLinked } from '../../src/testing/linked.ts';
import type { Revision } from '../../src/revisions/revision.ts';
import { everyRevision } from '../server/wire.ts';
import { Bench } from './bench.ts';

const hasTasks = (revision: Revision): boolean =>
  revision.methods.has('tasks/result') || revision.family === 'per-request';
test.each(everyRevision.filter(([, revision]) => hasTasks(revision)))(
  'a client of %s finds its task again from another connection, and can cancel it',
  async (id) => {
    const bench = new Bench({ tasks: { pollIntervalMs: 5 } });
    const first = await connectLinked(bench.server, { revision: id });
    await first.client.listTools();
    const { taskId } = await first.client.startTask({ name: 'slow', arguments: { key: 'a' } });
    const other = await first.client.startTask({ name: 'slow', arguments: { key: 'b' } });
    await first.close();
    const second = await connectLinked(bench.server, { revision: id });
    const handle = second.client.resumeTask(String(taskId));
    expect((await handle.status())?.status).toBe('working');
    bench.gate('a').open('later');
    expect((await handle.wait()).content).toEqual(text('slow a later').content);
    await second.client.resumeTask(String(other.taskId)).cancel();
    expect(bench.did).toContain('aborted:b');
    await second.close();
  },
);
