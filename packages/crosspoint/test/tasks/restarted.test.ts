import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { text } from '../../src/server/index.ts';
import { gate, stateless, Wire } from '../server/wire.ts';
import { DatabaseSync } from '../stores/recommended-driver.ts';
import { until as soon } from '../until.ts';
import { Bench, beginExtension, declared, ended, get, Name, until, waiting } from './bench.ts';

const folder = mkdtempSync(join(tmpdir(), 'crosspoint-tasks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server on a file, as a process would start it. */
async function start(path: string, did: string[], hangs: boolean) {
  const database = new DatabaseSync(path);
  const store = sqliteStore(database, { pollMs: 5 });
  const bench = new Bench({ tasks: { store } });
  bench.server.registerTool('order', { task: 'optional' }, async (ctx) => {
    const price = await ctx.step('price', () => did.push('price'));
    const answer = await ctx.elicit({ message: `Pay ${price}?`, schema: Name });
    await ctx.step('pay', async () => {
      did.push('pay');
      if (hangs) await gate().promise;
    });
    return text(`Paid by ${answer.action === 'accept' ? answer.content.name : 'nobody'}.`);
  });
  const wire = await Wire.open(bench.server, declared);
  return {
    wire,
    async stop() {
      await bench.server.close();
      await store.close();
      database.close();
    },
  };
}

test('a task in a file goes on after each restart, from where it was', async () => {
  const path = join(folder, 'tasks.db');
  const did: string[] = [];
  const first = await start(path, did, true);
  const done = await beginExtension(first.wire, 'must');
  const result = await until(first.wire, done.taskId, ended);
  const { taskId } = await beginExtension(first.wire, 'order');
  const asked = await until(first.wire, taskId, waiting);
  await first.stop();

  const second = await start(path, did, true);
  expect(await get(second.wire, done.taskId)).toEqual(result);
  expect((await until(second.wire, taskId, waiting)).inputRequests).toEqual(asked.inputRequests);
  const [key] = Object.keys(asked.inputRequests);
  const inputResponses = { [key as string]: { action: 'accept', content: { name: 'Ada' } } };
  await second.wire.result('tasks/update', { taskId, inputResponses }, stateless);
  await soon(() => did.includes('pay'));
  await second.stop();

  const third = await start(path, did, false);
  expect((await until(third.wire, taskId, ended)).result.content).toEqual(text('Paid by Ada.').content);
  expect(did).toEqual(['price', 'pay', 'pay']);
  await third.stop();
});
