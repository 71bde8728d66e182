import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { McpServer, text } from '../../src/server/index.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { proves } from '../requirements/proves.ts';
import { everyRevision, gate, handshakes, quiet, stateless, Wire } from '../server/wire.ts';
import { Bench, beginCore, core, declared, ended, get, Name, RELATED, until, waiting } from './bench.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const client = { elicitation: { form: {} }, sampling: {} };

async function open(bench: Bench, capabilities: object = client): Promise<Wire> {
  return Wire.open(bench.server, capabilities);
}

describe('what a server declares', () => {
  proves('L-TASKS-001, L-TASKS-068').test(
    'tasks for tool calls as objects, and no list unless the program says so',
    async () => {
      const wire = await open(new Bench());
      expect((await wire.declared(core)).tasks).toEqual({ cancel: {}, requests: { tools: { call: {} } } });
      const listing = await open(new Bench({ tasks: { list: true } }));
      expect((await listing.declared(core)).tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } });
    },
  );

  proves('L-TASKS-001').test('nothing where no tool can be a task, nor in a revision that has no tasks', async () => {
    const server = new McpServer({ name: 'plain', version: '1.0' });
    server.registerTool('t', {}, () => text('done'));
    expect((await (await Wire.open(server)).declared(core)).tasks).toBeUndefined();
    for (const revision of handshakes.slice(1))
      expect((await (await open(new Bench())).declared(revision)).tasks).toBeUndefined();
  });

  proves('L-TASKS-004').test('tasks/list is not there without its capability', async () => {
    const wire = await open(new Bench());
    expect((await wire.error('tasks/list', {}, core)).code).toBe(-32601);
  });

  test('tools say in lists whether they can be tasks', async () => {
    const wire = await open(new Bench());
    const { tools } = await wire.result('tools/list', {}, core);
    const support = Object.fromEntries(tools.map((tool: any) => [tool.name, tool.execution?.taskSupport]));
    expect(support).toMatchObject({ slow: 'optional', must: 'required' });
    expect(support['plain']).toBeUndefined();
  });
});

describe('a call with the wish for a task', () => {
  proves('L-TASKS-011, L-TASKS-014, L-TASKS-015, L-TASKS-016, L-TASKS-019, L-TASKS-032, L-TASKS-033').test(
    'is answered with a working task before the work is done',
    async () => {
      const bench = new Bench();
      const wire = await open(bench);
      const result = await wire.result('tools/call', { name: 'slow', arguments: { key: 'a' }, task: {} }, core);
      expect(Object.keys(result)).toEqual(['task']);
      expect(result.task).toEqual({
        taskId: expect.any(String),
        status: 'working',
        createdAt: expect.stringMatching(ISO),
        lastUpdatedAt: expect.stringMatching(ISO),
        ttl: 3_600_000,
        pollInterval: 1000,
      });
      expect(bench.did).not.toContain('ended:a');
    },
  );

  proves('L-TASKS-017, L-TASKS-018, L-TASKS-066').test(
    "has an id of the server's own making, which nobody can guess",
    async () => {
      const wire = await open(new Bench());
      const ids = new Set<string>();
      for (let count = 0; count < 20; count += 1) {
        const task = { taskId: 'mine', ttl: 1000 };
        const params = { name: 'slow', arguments: { key: `${count}` }, task };
        ids.add((await wire.result('tools/call', params, core)).task.taskId);
      }
      expect(ids.size).toBe(20);
      for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    },
  );

  proves('L-TASKS-007').test('is refused for a tool that is no task', async () => {
    const wire = await open(new Bench());
    expect((await wire.error('tools/call', { name: 'plain', task: {} }, core)).code).toBe(-32601);
  });

  proves('L-TASKS-012').test('is a plain call on a server that has no tasks', async () => {
    const server = new McpServer({ name: 'plain', version: '1.0' });
    server.registerTool('t', {}, () => text('done'));
    const wire = await Wire.open(server);
    expect(await wire.result('tools/call', { name: 't', task: { ttl: 1 } }, core)).toEqual(text('done'));
  });

  test.each([{ ttl: 'long' }, { ttl: 0 }, { ttl: -5 }])('with a ttl that is none is refused: %j', async (task) => {
    const wire = await open(new Bench());
    const error = await wire.error('tools/call', { name: 'slow', arguments: { key: 'a' }, task }, core);
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('ttl') });
  });

  proves('L-TASKS-062').test('may bring words for the model', async () => {
    const bench = new Bench();
    const task = { support: 'optional', immediateResponse: ({ n }: any) => `Counting to ${n}.` } as const;
    bench.server.registerTool('count', { inputSchema: { n: z.number() }, task }, () => text('done'));
    const wire = await open(bench);
    const { _meta } = await wire.result('tools/call', { name: 'count', arguments: { n: 9 }, task: {} }, core);
    expect(_meta).toEqual({ 'io.modelcontextprotocol/model-immediate-response': 'Counting to 9.' });
  });
});

describe('a plain call', () => {
  proves('L-TASKS-008').test('of a tool that may be a task is answered as ever, in every revision', async () => {
    for (const [, revision] of everyRevision) {
      const bench = new Bench();
      const wire = await open(bench);
      bench.gate('a').open('now');
      const { content } = await wire.call('slow', { key: 'a' }, revision, { capabilities: client });
      expect(content).toEqual(text('slow a now').content);
    }
  });

  proves('L-TASKS-010').test('of a tool that must be one is not found', async () => {
    const wire = await open(new Bench());
    expect((await wire.error('tools/call', { name: 'must' }, core)).code).toBe(-32601);
    const older = handshakes[1];
    if (older) expect((await (await open(new Bench())).error('tools/call', { name: 'must' }, older)).code).toBe(-32601);
  });
});

describe('the result of a task', () => {
  proves('L-TASKS-038, L-TASKS-043, L-TASKS-037').test(
    'is waited for, and is what the call would have given',
    async () => {
      const bench = new Bench();
      const wire = await open(bench);
      const { taskId } = await beginCore(wire, 'slow', { key: 'a' });
      const id = wire.start('tasks/result', { taskId }, core);
      await quiet();
      expect(wire.answers(id)).toEqual([]);
      bench.gate('a').open('well');
      expect((await wire.answer(id)).result).toEqual({ ...text('slow a well'), _meta: { [RELATED]: { taskId } } });
      expect((await wire.result('tasks/result', { taskId }, core)).content).toEqual(text('slow a well').content);
    },
  );

  proves('L-TASKS-043').test('keeps what the tool put into _meta', async () => {
    const bench = new Bench();
    bench.server.registerTool('marked', { task: 'optional' }, () => ({ ...text('x'), _meta: { 'a.b/c': 1 } }));
    const wire = await open(bench);
    const { taskId } = await beginCore(wire, 'marked');
    const { _meta } = await wire.result('tasks/result', { taskId }, core);
    expect(_meta).toEqual({ 'a.b/c': 1, [RELATED]: { taskId } });
  });

  proves('L-TASKS-060, L-TASKS-061').test(
    'of a tool that reports an error is that error, and the task has failed',
    async () => {
      const wire = await open(new Bench());
      const { taskId } = await beginCore(wire, 'errs');
      const task = await until(wire, taskId, ended, core);
      expect(task).toMatchObject({ status: 'failed', statusMessage: 'It did not work.' });
      const result = await wire.result('tasks/result', { taskId }, core);
      expect(result).toMatchObject({ ...text('It did not work.'), isError: true });
    },
  );

  proves('L-TASKS-037, L-TASKS-060, L-TASKS-061').test(
    'of a call that fails is the same error as without a task',
    async () => {
      const wire = await open(new Bench());
      const plain = await wire.error('tools/call', { name: 'throws' }, core);
      const { taskId } = await beginCore(wire, 'throws');
      expect(await wire.error('tasks/result', { taskId }, core)).toEqual(plain);
      expect(await get(wire, taskId, core)).toMatchObject({ status: 'failed', statusMessage: 'Out of paper' });
    },
  );

  proves('L-TASKS-037').test('of arguments that do not fit is what the plain call gives', async () => {
    const wire = await open(new Bench());
    const plain = await wire.result('tools/call', { name: 'slow', arguments: { key: 5 } }, core);
    const { taskId } = await beginCore(wire, 'slow', { key: 5 });
    const { _meta, ...result } = await wire.result('tasks/result', { taskId }, core);
    expect(result).toEqual(plain);
  });

  test('waiting for it ends with the request that waits, and nothing else does', async () => {
    const bench = new Bench();
    const wire = await open(bench);
    const { taskId } = await beginCore(wire, 'slow', { key: 'a' });
    const id = wire.start('tasks/result', { taskId }, core);
    await quiet();
    wire.notify('notifications/cancelled', { requestId: id });
    await quiet();
    bench.gate('a').open(undefined);
    expect((await until(wire, taskId, ended, core)).status).toBe('completed');
    expect(wire.answers(id)).toEqual([]);
  });
});

describe('looking at a task', () => {
  proves('L-TASKS-035, L-TASKS-042').test('gives the task, its ttl, and nothing of what it came to', async () => {
    const wire = await open(new Bench());
    const { taskId } = await beginCore(wire, 'must');
    const task = await until(wire, taskId, ended, core);
    expect(Object.keys(task).sort()).toEqual(['createdAt', 'lastUpdatedAt', 'pollInterval', 'status', 'taskId', 'ttl']);
    expect(task.ttl).toBe(3_600_000);
  });

  proves('L-TASKS-033').test('shows when it changed last', async () => {
    const clock = new ManualClock(1_000_000);
    const bench = new Bench({ clock });
    const wire = await open(bench);
    const begun = await beginCore(wire, 'slow', { key: 'a' });
    await clock.advance(5000);
    bench.gate('a').open(undefined);
    const task = await until(wire, begun.taskId, ended, core);
    expect(Date.parse(task.lastUpdatedAt) - Date.parse(task.createdAt)).toBe(5000);
    expect(task.createdAt).toBe(begun.createdAt);
  });

  proves('L-TASKS-040').test('goes by the parameter, whatever related task is named beside it', async () => {
    const wire = await open(new Bench());
    const one = await beginCore(wire, 'slow', { key: 'a' });
    const other = await beginCore(wire, 'must');
    const related = { _meta: { [RELATED]: { taskId: other.taskId } } };
    const params = { taskId: one.taskId, ...related };
    expect(await wire.result('tasks/get', params, core)).toMatchObject({ taskId: one.taskId, status: 'working' });
    expect(await wire.result('tasks/cancel', params, core)).toMatchObject({ taskId: one.taskId, status: 'cancelled' });
    const result = await wire.result('tasks/result', { taskId: other.taskId, _meta: { [RELATED]: one } }, core);
    expect(result._meta[RELATED]).toEqual({ taskId: other.taskId });
  });

  proves('L-TASKS-056').test.each(['tasks/get', 'tasks/result', 'tasks/cancel'])(
    '%s of what is no task is -32602',
    async (method) => {
      const wire = await open(new Bench());
      for (const taskId of [crypto.randomUUID(), '', 5, undefined]) {
        const error = await wire.error(method, { taskId }, core);
        expect(error.code).toBe(-32602);
        expect(error.message).not.toBe('');
      }
    },
  );

  test('says what the task is doing, where its handler says so', async () => {
    const bench = new Bench();
    const wire = await open(bench);
    const { taskId } = await beginCore(wire, 'slow', { key: 'a' });
    await quiet();
    await bench.contexts[0]?.task?.setStatus('Half way');
    expect(await get(wire, taskId, core)).toMatchObject({ status: 'working', statusMessage: 'Half way' });
    bench.gate('a').open(undefined);
    expect(await until(wire, taskId, ended, core)).not.toHaveProperty('statusMessage');
  });
});

describe('cancelling', () => {
  proves('L-TASKS-051, L-TASKS-052, L-TASKS-053, L-TASKS-021, L-TASKS-054').test(
    'ends the task for good, and its handler hears of it',
    async () => {
      const bench = new Bench();
      const wire = await open(bench);
      const { taskId } = await beginCore(wire, 'slow', { key: 'a' });
      await quiet();
      expect(await wire.result('tasks/cancel', { taskId }, core)).toMatchObject({ taskId, status: 'cancelled' });
      expect(bench.did).toEqual(['began:a', 'aborted:a']);
      bench.gate('a').open('late');
      await quiet();
      expect(bench.did).toContain('ended:a');
      expect((await get(wire, taskId, core)).status).toBe('cancelled');
      expect(await wire.error('tasks/result', { taskId }, core)).toMatchObject({
        message: expect.stringContaining('cancelled'),
      });
    },
  );

  proves('L-TASKS-050').test('of a task that has ended is -32602', async () => {
    const wire = await open(new Bench());
    for (const name of ['must', 'errs', 'throws']) {
      const { taskId } = await beginCore(wire, name);
      const { status } = await until(wire, taskId, ended, core);
      expect((await wire.error('tasks/cancel', { taskId }, core)).code).toBe(-32602);
      expect((await get(wire, taskId, core)).status).toBe(status);
    }
    const { taskId } = await beginCore(wire, 'slow', { key: 'a' });
    await wire.result('tasks/cancel', { taskId }, core);
    expect((await wire.error('tasks/cancel', { taskId }, core)).code).toBe(-32602);
  });

  proves('L-CANCELLATION-003').test(
    'is done by tasks/cancel alone: the cancelled notification of the call does nothing to its task',
    async () => {
      const bench = new Bench();
      const wire = await open(bench);
      await wire.handshake(core);
      const id = wire.start('tools/call', { name: 'slow', arguments: { key: 'a' }, task: {} }, core);
      const { taskId } = (await wire.answer(id)).result.task;
      wire.notify('notifications/cancelled', { requestId: id });
      await quiet();
      expect(bench.did).toEqual(['began:a']);
      await wire.result('tasks/cancel', { taskId }, core);
      expect(bench.did).toEqual(['began:a', 'aborted:a']);
    },
  );

  test('ends what waits for the result', async () => {
    const wire = await open(new Bench());
    const { taskId } = await beginCore(wire, 'slow', { key: 'a' });
    const waits = wire.error('tasks/result', { taskId }, core);
    await quiet();
    await wire.result('tasks/cancel', { taskId }, core);
    expect((await waits).message).toContain('cancelled');
  });
});

describe('asking inside a task', () => {
  proves('L-TASKS-028, L-TASKS-029, L-TASKS-031, L-TASKS-039').test(
    'moves it to input_required until the client, who asks for the result, has answered',
    async () => {
      const wire = await open(new Bench());
      const { taskId } = await beginCore(wire, 'asks');
      await until(wire, taskId, waiting, core);
      expect(wire.asked).toEqual([]);
      const asked = gate();
      const answer = gate<object>();
      wire.onrequest = async () => {
        asked.open();
        return (await answer.promise) as any;
      };
      const result = wire.result('tasks/result', { taskId }, core);
      await asked.promise;
      expect(wire.asked).toHaveLength(1);
      expect(wire.asked[0]).toMatchObject({
        method: 'elicitation/create',
        params: { message: 'Who?', _meta: { [RELATED]: { taskId } } },
      });
      expect((await get(wire, taskId, core)).status).toBe('input_required');
      answer.open({ action: 'accept', content: { name: 'Ada' }, _meta: { [RELATED]: { taskId } } });
      expect((await result).content).toEqual(text('Hello, Ada!').content);
    },
  );

  proves('L-TASKS-031').test('leaves input_required when the last answer is there', async () => {
    const bench = new Bench();
    const last = gate();
    bench.server.registerTool('pair', { task: 'optional' }, async (ctx) => {
      await Promise.all([ctx.elicit({ message: 'A?', schema: Name }), ctx.elicit({ message: 'B?', schema: Name })]);
      await last.promise;
      return text('both');
    });
    const wire = await open(bench);
    const second = gate<any>();
    wire.onrequest = ({ params }) => {
      const accepted = { action: 'accept', content: { name: 'x' } };
      return params?.['message'] === 'A?' ? accepted : second.promise.then(() => accepted);
    };
    const { taskId } = await beginCore(wire, 'pair');
    const result = wire.result('tasks/result', { taskId }, core);
    await wire.frame((frame) => frame.params?.['message'] === 'B?', 'the second question');
    await quiet();
    expect((await get(wire, taskId, core)).status).toBe('input_required');
    second.open(undefined);
    await until(wire, taskId, (task) => task.status === 'working', core);
    last.open();
    expect((await result).content).toEqual(text('both').content);
  });

  test('a question is put once, though several wait for the result, and again when the first goes away', async () => {
    const bench = new Bench();
    const wire = await open(bench);
    const { taskId } = await beginCore(wire, 'asks');
    await until(wire, taskId, waiting, core);
    const first = wire.start('tasks/result', { taskId }, core);
    await wire.frame((frame) => frame.method === 'elicitation/create', 'the question');
    const second = wire.start('tasks/result', { taskId }, core);
    await quiet();
    expect(wire.asked).toHaveLength(1);
    wire.notify('notifications/cancelled', { requestId: first });
    await quiet();
    wire.onrequest = () => ({ action: 'decline' });
    const third = wire.start('tasks/result', { taskId }, core);
    expect((await wire.answer(third)).result.content).toEqual(text('decline').content);
    expect((await wire.answer(second)).result.content).toEqual(text('decline').content);
    expect(wire.asked).toHaveLength(2);
  });

  test('a client that refuses to answer fails the question, not the server', async () => {
    const wire = await open(new Bench());
    const { taskId } = await beginCore(wire, 'asks');
    const id = wire.start('tasks/result', { taskId }, core);
    const ask = await wire.frame((frame) => frame.method === 'elicitation/create', 'the question');
    wire.send({ jsonrpc: '2.0', id: ask.id, error: { code: -1, message: 'No.' } });
    expect((await wire.answer(id)).error).toMatchObject({ code: -1, message: 'No.' });
  });

  test('a client that cannot be asked is not: the task fails at once', async () => {
    const wire = await open(new Bench(), {});
    const { taskId } = await beginCore(wire, 'asks');
    expect(await wire.result('tasks/result', { taskId }, core)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('has not declared elicitation') as string }],
    });
    expect((await get(wire, taskId, core)).status).toBe('failed');
  });

  test('cancelling ends the question', async () => {
    const bench = new Bench();
    const wire = await open(bench);
    const { taskId } = await beginCore(wire, 'asks');
    await until(wire, taskId, waiting, core);
    await wire.result('tasks/cancel', { taskId }, core);
    await quiet();
    expect(bench.did).toEqual([]);
    expect((await get(wire, taskId, core)).status).toBe('cancelled');
  });
});

describe('what a client hears unasked', () => {
  proves('L-TASKS-044, L-TASKS-046').test('is each change of status, as the whole task', async () => {
    const bench = new Bench();
    const wire = await open(bench);
    const { taskId } = await beginCore(wire, 'slow', { key: 'a' });
    await quiet();
    bench.gate('a').open(undefined);
    const { params } = await wire.notification('notifications/tasks/status');
    expect(params).toEqual(await get(wire, taskId, core));
    expect(params).not.toHaveProperty('_meta');
    expect(params).toMatchObject({ status: 'completed' });
  });

  proves('L-PROGRESS-011, L-PROGRESS-012, L-PROGRESS-013, L-TASKS-039').test(
    'is progress under the token of the call, until the task has ended',
    async () => {
      const clock = new ManualClock();
      const bench = new Bench({ clock });
      const wire = await open(bench);
      const { taskId } = await beginCore(wire, 'slow', { key: 'a' }, { progressToken: 'mine' });
      await quiet();
      const [ctx] = bench.contexts;
      ctx?.progress(1, 3, 'one');
      await clock.advance(1000);
      ctx?.progress(2, 3, 'two');
      await clock.advance(1000);
      const before = wire.notified('notifications/progress').map(({ params }) => params);
      expect(before).toEqual([
        { progressToken: 'mine', progress: 1, total: 3, message: 'one', _meta: { [RELATED]: { taskId } } },
        { progressToken: 'mine', progress: 2, total: 3, message: 'two', _meta: { [RELATED]: { taskId } } },
      ]);
      bench.gate('a').open(undefined);
      await until(wire, taskId, ended, core);
      ctx?.progress(3, 3, 'three');
      await clock.advance(5000);
      expect(wire.notified('notifications/progress')).toHaveLength(2);
    },
  );

  proves('L-PROGRESS-013').test('is no progress of a task that was cancelled', async () => {
    const clock = new ManualClock();
    const bench = new Bench({ clock });
    const wire = await open(bench);
    const { taskId } = await beginCore(wire, 'slow', { key: 'a' }, { progressToken: 7 });
    await quiet();
    await wire.result('tasks/cancel', { taskId }, core);
    bench.contexts[0]?.progress(1);
    await clock.advance(5000);
    expect(wire.notified('notifications/progress')).toEqual([]);
  });

  proves('L-TASKS-039').test('is a log message that says which task it is about', async () => {
    const bench = new Bench({ capabilities: { logging: {} } });
    const wire = await open(bench);
    const { taskId } = await beginCore(wire, 'slow', { key: 'a' });
    await quiet();
    bench.contexts[0]?.log('warning', 'Careful');
    const { params } = await wire.notification('notifications/message');
    expect(params).toMatchObject({ level: 'warning', data: 'Careful', _meta: { [RELATED]: { taskId } } });
  });
});

describe('a task and the connection that began it', () => {
  test('outlives it: another connection finds what it came to', async () => {
    const bench = new Bench();
    const first = await open(bench);
    const { taskId } = await beginCore(first, 'slow', { key: 'a' }, { progressToken: 1 });
    await quiet();
    await first.close();
    bench.contexts[0]?.progress(1);
    bench.gate('a').open('later');
    const second = await open(bench);
    expect((await second.result('tasks/result', { taskId }, core)).content).toEqual(text('slow a later').content);
  });

  test('nothing is begun for a client that cancelled before it could be told', async () => {
    const bench = new Bench();
    const wire = await open(bench, declared);
    await wire.handshake(core);
    const id = wire.start('tools/call', { name: 'slow', arguments: { key: 'a' }, task: {} }, core);
    wire.notify('notifications/cancelled', { requestId: id });
    await quiet();
    expect(bench.did).toEqual([]);
    expect(wire.answers(id)).toEqual([]);
  });

  test('both generations are of one server: a task of one is found by the other, in its own words', async () => {
    const wire = await open(new Bench(), declared);
    const { taskId } = await beginCore(wire, 'errs');
    expect(await until(wire, taskId, ended)).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(await until(wire, taskId, ended, core)).toMatchObject({ status: 'failed' });
    expect(stateless.methods.has('tasks/get')).toBe(false);
  });
});
