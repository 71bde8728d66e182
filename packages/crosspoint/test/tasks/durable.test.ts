import { describe, expect, test } from 'vitest';
import { createMcpHandler, text, type ServerContext, type ToolTaskOptions } from '../../src/server/index.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { gate, quiet, stateless, Wire, type Gate } from '../server/wire.ts';
import { Bench, beginCore, beginExtension, core, declared, ended, get, Name, until, waiting } from './bench.ts';

const LEASE = 9000;

/** Several nodes on one store, and a log of what their handlers did. */
class Cluster {
  readonly clock = new ManualClock(1_000_000);
  readonly store = memoryStore({ now: () => this.clock.now() });
  readonly did: string[] = [];
  readonly gates = new Map<string, Gate<void>>();

  gate(name: string): Gate<void> {
    const found = this.gates.get(name) ?? gate();
    this.gates.set(name, found);
    return found;
  }

  /** A node that can be cut off from the store, as a dead one is. */
  async node(name: string, options: Partial<ToolTaskOptions> = {}): Promise<Node> {
    const link: Node['link'] = { isUp: true, unheard: [] };
    const store = new Proxy(this.store, {
      get:
        (target, member) =>
        async (...args: unknown[]) => {
          if (!link.isUp) throw new Error('down');
          const result = await (Reflect.get(target, member) as (...given: unknown[]) => unknown).apply(target, args);
          if (member === 'put' && link.unheard.length > 0 && String(args[0]).startsWith(link.unheard[0] ?? '')) {
            link.unheard.shift();
            throw new Error('no answer');
          }
          return result;
        },
    });
    const bench = new Bench({ clock: this.clock, tasks: { store, leaseMs: LEASE } });
    bench.server.registerTool('work', { task: { support: 'optional', ...options } }, (ctx) => this.#work(name, ctx));
    bench.server.registerTool('ask', { task: 'optional' }, async (ctx) => {
      this.did.push(`${name}:asks`);
      const answer = await ctx.elicit({ message: 'Who?', schema: Name });
      return text(`${name} heard ${answer.action === 'accept' ? answer.content.name : answer.action}`);
    });
    return { bench, link, wire: await Wire.open(bench.server, declared) };
  }

  async #work(node: string, ctx: ServerContext): Promise<ReturnType<typeof text>> {
    ctx.signal.addEventListener('abort', () => this.did.push(`${node}:aborted`));
    const values: unknown[] = [];
    for (const step of ['one', 'two', 'three']) {
      values.push(
        await ctx.step(step, async ({ idempotencyKey }) => {
          this.did.push(`${node}:${step}`);
          await this.gate(`${node}:${step}`).promise;
          return [node, step, idempotencyKey.split(':').at(-1)];
        }),
      );
    }
    return text(JSON.stringify(values));
  }

  /** Time passes until nobody can take a node that said nothing for alive. */
  async silence(turns = 4): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) {
      await this.clock.advance(LEASE / 2);
      await quiet();
    }
  }
}

interface Node {
  readonly bench: Bench;
  /** Keys that begin so are written, but the first time nobody hears of it. */
  readonly link: { isUp: boolean; unheard: string[] };
  readonly wire: Wire;
}

describe('a task whose node is gone', () => {
  test('goes on elsewhere from its last finished step; what was running runs once more', async () => {
    const cluster = new Cluster();
    const here = await cluster.node('A');
    const { taskId } = await beginExtension(here.wire, 'work');
    await quiet();
    cluster.gate('A:one').open();
    await quiet();
    expect(cluster.did).toEqual(['A:one', 'A:two']);
    here.link.isUp = false;
    const there = await cluster.node('B');
    for (const step of ['two', 'three']) cluster.gate(`B:${step}`).open();
    await cluster.silence();
    const task = await until(there.wire, taskId, ended);
    expect(cluster.did.filter((line) => line !== 'A:aborted')).toEqual(['A:one', 'A:two', 'B:two', 'B:three']);
    expect(cluster.did).toContain('A:aborted');
    expect(JSON.parse(task.result.content[0].text)).toEqual([
      ['A', 'one', 'one'],
      ['B', 'two', 'two'],
      ['B', 'three', 'three'],
    ]);
  });

  test('what its node brings late does not count: neither a step nor an end', async () => {
    const cluster = new Cluster();
    const here = await cluster.node('A');
    const { taskId } = await beginExtension(here.wire, 'work');
    await quiet();
    here.link.isUp = false;
    const there = await cluster.node('B');
    await cluster.silence();
    expect(cluster.did).toContain('B:one');
    here.link.isUp = true;
    cluster.gate('A:one').open();
    await quiet();
    expect(cluster.did).not.toContain('A:two');
    for (const step of ['one', 'two', 'three']) cluster.gate(`B:${step}`).open();
    const task = await until(there.wire, taskId, ended);
    expect(JSON.parse(task.result.content[0].text).map(([node]: string[]) => node)).toEqual(['B', 'B', 'B']);
    expect(await get(here.wire, taskId)).toEqual(task);
  });

  test('a step that was interrupted twice is not tried a third time: its outcome is unknown, and the task says so', async () => {
    const cluster = new Cluster();
    const nodes = [await cluster.node('A')];
    const { taskId } = await beginExtension((nodes[0] as Node).wire, 'work');
    await quiet();
    for (const name of ['B', 'C']) {
      (nodes.at(-1) as Node).link.isUp = false;
      nodes.push(await cluster.node(name));
      await cluster.silence();
    }
    const task = await until((nodes[2] as Node).wire, taskId, ended);
    expect(task).toMatchObject({ status: 'failed', statusMessage: expect.stringContaining('"one" is unknown') });
    expect(cluster.did.filter((line) => line.endsWith(':one'))).toEqual(['A:one', 'B:one']);
  });

  test.each([['core'], ['extension']] as const)(
    'has failed, in words that say why, where it has no steps to go on from (%s)',
    async (generation) => {
      const cluster = new Cluster();
      const here = await cluster.node('A');
      const begin = generation === 'core' ? beginCore : beginExtension;
      const { taskId } = await begin(here.wire, 'slow', { key: 'a' });
      await quiet();
      here.link.isUp = false;
      const there = await cluster.node('B');
      await cluster.silence();
      const revision = generation === 'core' ? core : stateless;
      const task = await get(there.wire, taskId, revision);
      expect(task).toMatchObject({ status: 'failed', statusMessage: expect.stringContaining('no steps') });
      if (generation === 'core')
        expect((await there.wire.error('tasks/result', { taskId }, core)).message).toContain('interrupted');
      else expect(task.error).toMatchObject({ code: -32603, data: { outcome: 'unknown' } });
      expect(there.bench.did).toEqual([]);
    },
  );

  test('runs again from the top where its tool says that it may', async () => {
    const cluster = new Cluster();
    const here = await cluster.node('A');
    const again: ToolTaskOptions = { support: 'optional', resume: true };
    here.bench.server.registerTool('again', { task: again }, async () => {
      await gate().promise;
      return text('never');
    });
    const { taskId } = await beginExtension(here.wire, 'again');
    await quiet();
    here.link.isUp = false;
    const there = await cluster.node('B');
    there.bench.server.registerTool('again', { task: again }, () => text('again'));
    await cluster.silence();
    expect((await until(there.wire, taskId, ended)).result.content).toEqual(text('again').content);
  });

  test('keeps its questions: what was asked here is answered there', async () => {
    const cluster = new Cluster();
    const here = await cluster.node('A');
    const { taskId } = await beginExtension(here.wire, 'ask');
    const asked = await until(here.wire, taskId, waiting);
    here.link.isUp = false;
    const there = await cluster.node('B');
    await cluster.silence();
    const [key] = Object.keys(asked.inputRequests);
    expect(Object.keys((await get(there.wire, taskId)).inputRequests)).toEqual([key]);
    const inputResponses = { [key as string]: { action: 'accept', content: { name: 'Ada' } } };
    await there.wire.result('tasks/update', { taskId, inputResponses }, stateless);
    expect((await until(there.wire, taskId, ended)).result.content).toEqual(text('B heard Ada').content);
  });

  test('has failed when the handler takes another way the second time', async () => {
    const cluster = new Cluster();
    const here = await cluster.node('A');
    const { taskId } = await beginExtension(here.wire, 'work');
    await quiet();
    cluster.gate('A:one').open();
    await quiet();
    here.link.isUp = false;
    const there = await cluster.node('B');
    there.bench.server.registerTool('other', { task: 'optional' }, () => text('x'));
    const record = await cluster.store.get(`task:r:${taskId}`);
    const changed = JSON.parse(JSON.stringify(record?.value).replace('"name":"work"', '"name":"other"'));
    await cluster.store.put(`task:r:${taskId}`, changed);
    await cluster.silence();
    expect(await until(there.wire, taskId, ended)).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringContaining('took another way'),
    });
  });

  test('is taken over as soon as someone asks for it, and by one alone', async () => {
    const cluster = new Cluster();
    const here = await cluster.node('A');
    const { taskId } = await beginExtension(here.wire, 'work');
    await quiet();
    await here.bench.server.close();
    const nodes = await Promise.all([cluster.node('B'), cluster.node('C')]);
    for (const name of ['B', 'C']) for (const step of ['one', 'two', 'three']) cluster.gate(`${name}:${step}`).open();
    await Promise.all(nodes.flatMap(({ wire }) => [get(wire, taskId), get(wire, taskId)]));
    const task = await until((nodes[0] as Node).wire, taskId, ended);
    const runners = new Set(JSON.parse(task.result.content[0].text).map(([node]: string[]) => node));
    expect(runners.size).toBe(1);
    expect(cluster.did.filter((line) => line.endsWith(':two'))).toHaveLength(1);
  });

  test('has failed when what it ran is not offered any more, once programs had time to say what they offer', async () => {
    const cluster = new Cluster();
    const here = await cluster.node('A');
    here.bench.server.registerTool('gone', { task: 'optional' }, async (ctx) => {
      await ctx.step('one', () => gate().promise);
      return text('never');
    });
    const { taskId } = await beginExtension(here.wire, 'gone');
    await quiet();
    here.link.isUp = false;
    const there = await cluster.node('B');
    await cluster.silence(3);
    expect((await get(there.wire, taskId)).status).toBe('working');
    await cluster.silence();
    expect(await get(there.wire, taskId)).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringContaining('not offered'),
    });
  });
});

describe('a task whose node is there', () => {
  test('is left to it, however long it takes', async () => {
    const cluster = new Cluster();
    const here = await cluster.node('A');
    const there = await cluster.node('B');
    const { taskId } = await beginExtension(here.wire, 'work');
    for (let turn = 0; turn < 5; turn += 1) await cluster.silence();
    expect(cluster.did).toEqual(['A:one']);
    for (const step of ['one', 'two', 'three']) cluster.gate(`A:${step}`).open();
    expect((await until(there.wire, taskId, ended)).status).toBe('completed');
  });

  test('is cancelled from any node, and its handler hears of it', async () => {
    const cluster = new Cluster();
    const here = await cluster.node('A');
    const there = await cluster.node('B');
    const { taskId } = await beginExtension(here.wire, 'work');
    await quiet();
    await there.wire.result('tasks/cancel', { taskId }, stateless);
    await quiet();
    expect(cluster.did).toEqual(['A:one', 'A:aborted']);
    expect((await get(here.wire, taskId)).status).toBe('cancelled');
  });

  test('is answered and waited for on any node', async () => {
    const cluster = new Cluster();
    const here = await cluster.node('A');
    const there = await cluster.node('B');
    const { taskId } = await beginCore(here.wire, 'ask');
    await until(here.wire, taskId, waiting, core);
    there.wire.onrequest = () => ({ action: 'accept', content: { name: 'Bo' } });
    const result = await there.wire.result('tasks/result', { taskId }, core);
    expect(result.content).toEqual(text('A heard Bo').content);
  });

  test('a store that takes what it is given and does not say so costs no step and no question', async () => {
    const cluster = new Cluster();
    const here = await cluster.node('A');
    for (const step of ['one', 'two', 'three']) cluster.gate(`A:${step}`).open();
    // The beginning of the first step and its end; then the end of the task.
    here.link.unheard = ['task:s:', 'task:s:', 'task:r:'];
    const work = await beginExtension(here.wire, 'work');
    for (let turn = 0; turn < 6; turn += 1) {
      await quiet();
      await cluster.clock.advance(1000);
    }
    expect(await until(here.wire, work.taskId, ended)).toMatchObject({ status: 'completed' });
    expect(cluster.did).toEqual(['A:one', 'A:two', 'A:three']);
    const { taskId } = await beginExtension(here.wire, 'ask');
    const asked = await until(here.wire, taskId, waiting);
    expect(here.link.unheard).toEqual([]);
    expect(Object.keys(asked.inputRequests)).toHaveLength(1);
  });

  test('ends in truth when the store was away for a while', async () => {
    const cluster = new Cluster();
    const here = await cluster.node('A');
    const { taskId } = await beginExtension(here.wire, 'work');
    await quiet();
    for (const step of ['two', 'three']) cluster.gate(`A:${step}`).open();
    here.link.isUp = false;
    cluster.gate('A:one').open();
    await cluster.clock.advance(LEASE / 3);
    here.link.isUp = true;
    await cluster.clock.advance(2000);
    expect((await until(here.wire, taskId, ended)).status).toBe('completed');
    expect(cluster.did).toEqual(['A:one', 'A:two', 'A:three']);
  });
});

describe('what has ended', () => {
  test('is there after a restart', async () => {
    const cluster = new Cluster();
    const here = await cluster.node('A');
    const done = await beginExtension(here.wire, 'must');
    const failed = await beginExtension(here.wire, 'throws');
    const before = [await until(here.wire, done.taskId, ended), await until(here.wire, failed.taskId, ended)];
    await here.bench.server.close();
    const there = await cluster.node('B');
    expect([await get(there.wire, done.taskId), await get(there.wire, failed.taskId)]).toEqual(before);
  });
});

describe('where tasks are kept when nobody says it of them', () => {
  test('is where the server keeps everything else', async () => {
    const store = memoryStore();
    const bench = new Bench({ store });
    const wire = await Wire.open(bench.server, declared);
    const { taskId } = await beginExtension(wire, 'must');
    expect(await store.get(`task:r:${taskId}`)).toBeDefined();
    await bench.server.close();
  });

  test('is the store of the HTTP handler, in which tasks that were left behind are found at once', async () => {
    const cluster = new Cluster();
    const here = await cluster.node('A');
    const { taskId } = await beginExtension(here.wire, 'slow', { key: 'a' });
    await quiet();
    here.link.isUp = false;
    await cluster.clock.advance(LEASE + 1);
    const there = new Bench({ clock: cluster.clock });
    const handler = createMcpHandler(there.server, { store: cluster.store });
    await cluster.silence(1);
    const wire = await Wire.open(there.server, declared);
    expect(await get(wire, taskId)).toMatchObject({ status: 'failed' });
    await handler.close({ grace: 0 });
    await there.server.close();
  });
});

test('a store is looked through only when it is shared', async () => {
  const clock = new ManualClock();
  const bench = new Bench({ clock });
  expect(bench.did).toEqual([]);
  expect(clock.pending).toBe(0);
  const shared: Store = memoryStore();
  const looking = new Bench({ clock, tasks: { store: shared } });
  expect(clock.pending).toBe(1);
  await looking.server.close();
  expect(clock.pending).toBe(0);
});
