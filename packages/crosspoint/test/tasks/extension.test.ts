import { describe, expect, test } from 'vitest';
import { META_IDEMPOTENCY_KEY } from '../../src/protocol/meta.ts';
import { mayBecome, isTerminal, type TaskStatus } from '../../src/protocol/tasks.ts';
import { acceptedContent, inputRequired, text } from '../../src/server/index.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { proves } from '../requirements/proves.ts';
import { gate, quiet, stateless, Wire } from '../server/wire.ts';
import { Bench, beginExtension, core, declared, ended, get, Name, RELATED, until, waiting } from './bench.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

const ID = 'io.modelcontextprotocol/tasks';
const undeclared = { elicitation: {} };
const MISSING = { code: -32021, data: { requiredCapabilities: { extensions: { [ID]: {} } } } };
const accept = (name: string): object => ({ action: 'accept', content: { name } });

async function open(bench: Bench): Promise<Wire> {
  return Wire.open(bench.server, declared);
}

describe('the extension', () => {
  proves('M-TASK-001').test('is declared with empty settings, and the older capability is not', async () => {
    const capabilities = await (await open(new Bench())).declared(stateless);
    expect(capabilities.extensions).toEqual({ [ID]: {} });
    expect(capabilities).not.toHaveProperty('tasks');
  });

  proves('M-TASK-002').test('is used only for a request that declared it, whatever was declared before', async () => {
    const bench = new Bench();
    const wire = await open(bench);
    expect((await beginExtension(wire, 'slow', { key: 'a' })).resultType).toBe('task');
    bench.gate('b').open('now');
    const plain = await wire.call('slow', { key: 'b' }, stateless, { capabilities: undeclared });
    expect(plain).toMatchObject({ resultType: 'complete', ...text('slow b now') });
  });

  proves('M-TASK-005').test('is named as missing to a client that calls what can only be a task', async () => {
    const wire = await open(new Bench());
    const error = await wire.error('tools/call', { name: 'must' }, stateless, { capabilities: undeclared });
    expect(error).toMatchObject(MISSING);
  });

  proves('M-TASK-006').test('leaves it to the server: the old wish for a task changes nothing', async () => {
    const wire = await open(new Bench());
    const task = { ttl: 5, pollInterval: 5 };
    expect(await wire.result('tools/call', { name: 'plain', task }, stateless)).toMatchObject(text('plain'));
    const params = { name: 'slow', arguments: { key: 'a' }, task };
    expect(await wire.result('tools/call', params, stateless)).toMatchObject({ ttlMs: 3_600_000 });
    const bare = {
      ...clientWordsOf(stateless).writeRequest({ method: 'tools/call', params: {}, facts: { capabilities: declared } }),
    };
    wire.send({ jsonrpc: '2.0', id: 'raw', method: 'tools/call', params: { ...bare, ...params } });
    expect((await wire.answer('raw')).result).toMatchObject({ resultType: 'task', ttlMs: 3_600_000 });
  });

  proves('M-TASK-046').test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    '%s is refused to a client that did not declare it, before the id is looked at',
    async (method) => {
      const wire = await open(new Bench());
      const { taskId } = await beginExtension(wire, 'slow', { key: 'a' });
      for (const id of [taskId, 'none']) {
        const params = { taskId: id, inputResponses: {} };
        expect(await wire.error(method, params, stateless, { capabilities: undeclared })).toMatchObject(MISSING);
      }
    },
  );

  test.each(['tasks/result', 'tasks/list'])('has no %s', async (method) => {
    const wire = await open(new Bench({ tasks: { list: true } }));
    expect((await wire.error(method, { taskId: 'x' }, stateless)).code).toBe(-32601);
  });
});

describe('a task that was created', () => {
  proves('M-TASK-008, M-TASK-010').test('is told flat, with the type "task" and nothing else', async () => {
    const { _meta, ...task } = await beginExtension(await open(new Bench()), 'slow', { key: 'a' });
    expect(task).toEqual({
      resultType: 'task',
      taskId: expect.any(String),
      status: 'working',
      createdAt: expect.any(String),
      lastUpdatedAt: expect.any(String),
      ttlMs: 3_600_000,
      pollIntervalMs: 1000,
    });
  });

  proves('M-TASK-012').test('is found at once, by every node', async () => {
    const store = memoryStore();
    const here = await open(new Bench({ tasks: { store } }));
    const there = await open(new Bench({ tasks: { store } }));
    const { taskId } = await beginExtension(here, 'slow', { key: 'a' });
    expect(await get(there, taskId)).toMatchObject({ taskId, status: 'working' });
  });

  proves('M-TASK-012').test('is not told before the store has it', async () => {
    const inner = memoryStore();
    const held = gate();
    const store = new Proxy(inner, {
      get(target, name) {
        const member = Reflect.get(target, name) as (...args: unknown[]) => unknown;
        if (name !== 'put') return member.bind(target);
        return async (key: string, ...rest: unknown[]) => {
          if (key.startsWith('task:r:')) await held.promise;
          return member.call(target, key, ...rest);
        };
      },
    });
    const wire = await open(new Bench({ tasks: { store } }));
    const id = wire.start('tools/call', { name: 'slow', arguments: { key: 'a' } }, stateless);
    await quiet();
    expect(wire.answers(id)).toEqual([]);
    held.open();
    const { taskId } = (await wire.answer(id)).result;
    expect((await get(wire, taskId)).taskId).toBe(taskId);
  });

  proves('M-TASK-050').test('has an id that nobody can guess', async () => {
    const wire = await open(new Bench());
    const ids = new Set<string>();
    for (let count = 0; count < 20; count += 1)
      ids.add((await beginExtension(wire, 'slow', { key: `${count}` })).taskId);
    expect(ids.size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe('a call with an idempotency key', () => {
  test('makes one task, however often it is sent', async () => {
    const bench = new Bench();
    const wire = await open(bench);
    const params = { name: 'slow', arguments: { key: 'a' }, _meta: { [META_IDEMPOTENCY_KEY]: 'once' } };
    const ids = new Set<string>();
    for (let count = 0; count < 3; count += 1) ids.add((await wire.result('tools/call', params, stateless)).taskId);
    expect(ids.size).toBe(1);
    await quiet();
    expect(bench.did).toEqual(['began:a']);
    bench.gate('a').open('once');
    const [taskId = ''] = ids;
    expect((await until(wire, taskId, ended)).result.content).toEqual(text('slow a once').content);
  });
});

describe('tasks/get', () => {
  proves('M-TASK-018, M-TASK-009, M-TASK-022').test(
    'of a working and of a cancelled task brings no payload, and is a complete result',
    async () => {
      const wire = await open(new Bench());
      const { taskId } = await beginExtension(wire, 'slow', { key: 'a' });
      const working = await get(wire, taskId);
      await wire.result('tasks/cancel', { taskId }, stateless);
      const cancelled = await get(wire, taskId);
      for (const task of [working, cancelled]) {
        expect(task.resultType).toBe('complete');
        for (const member of ['result', 'error', 'inputRequests', 'requestState'])
          expect(task).not.toHaveProperty(member);
      }
      expect([working.status, cancelled.status]).toEqual(['working', 'cancelled']);
    },
  );

  proves('M-TASK-020').test('of a completed task brings exactly what the call would have given', async () => {
    const bench = new Bench();
    const wire = await open(bench);
    bench.gate('a').open('same');
    const plain = await wire.call('slow', { key: 'a' }, stateless, { capabilities: undeclared });
    const { taskId } = await beginExtension(wire, 'slow', { key: 'a' });
    const task = await until(wire, taskId, ended);
    expect(task).toMatchObject({ resultType: 'complete', status: 'completed' });
    expect(task.result).toEqual(plain);
    expect(task.result._meta).not.toHaveProperty(RELATED);
  });

  proves('M-TASK-021, M-TASK-049').test(
    'of a failed task brings the error of the call, and says what went wrong',
    async () => {
      const wire = await open(new Bench());
      const plain = await wire.error('tools/call', { name: 'throws' }, stateless, { capabilities: undeclared });
      const { taskId } = await beginExtension(wire, 'throws');
      const task = await until(wire, taskId, ended);
      expect(task).toMatchObject({ status: 'failed', statusMessage: 'Out of paper', error: plain });
      expect(task).not.toHaveProperty('result');
    },
  );

  proves('M-TASK-048').test('of a tool that reports an error is a completed task', async () => {
    const wire = await open(new Bench());
    const { taskId } = await beginExtension(wire, 'errs');
    const task = await until(wire, taskId, ended);
    expect(task).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(task).not.toHaveProperty('error');
  });

  proves('M-TASK-044, M-TASK-045').test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    '%s of an unknown id is -32602',
    async (method) => {
      const wire = await open(new Bench());
      for (const taskId of [crypto.randomUUID(), '', undefined]) {
        const error = await wire.error(method, { taskId, inputResponses: {} }, stateless);
        expect(error.code).toBe(-32602);
        expect(error.message.length).toBeGreaterThan(10);
      }
    },
  );

  proves('M-TASK-047, L-TASKS-058').test(
    'of a store that fails is an internal error, which tells nothing of the store',
    async () => {
      const inner = memoryStore();
      let isDown = false;
      const store = new Proxy(inner, {
        get:
          (target, name) =>
          (...args: unknown[]) => {
            if (isDown) return Promise.reject(new Error('secret address 10.0.0.1 refused'));
            return (Reflect.get(target, name) as (...given: unknown[]) => unknown).apply(target, args);
          },
      });
      const bench = new Bench({ tasks: { store } });
      const problems: Error[] = [];
      bench.server.server.onerror = (problem) => problems.push(problem);
      const wire = await open(bench);
      const { taskId } = await beginExtension(wire, 'slow', { key: 'a' });
      isDown = true;
      for (const revision of [stateless, core]) {
        const error = await wire.error('tasks/get', { taskId }, revision);
        expect(error.code).toBe(-32603);
        expect(error.message).not.toContain('secret');
      }
      expect(problems.map(String).join()).toContain('refused');
      isDown = false;
      bench.gate('a').open(undefined);
      expect((await until(wire, taskId, ended)).status).toBe('completed');
    },
  );
});

describe('asking inside a task', () => {
  proves('M-TASK-019, M-TASK-030, M-TASK-031, M-TASK-032').test(
    'shows every open question until it is answered; what was not asked is ignored',
    async () => {
      const bench = new Bench();
      bench.server.registerTool('pair', { task: 'optional' }, async (ctx) => {
        const [a, b] = await Promise.all([
          ctx.elicit({ message: 'A?', schema: Name }),
          ctx.elicit({ message: 'B?', schema: Name }),
        ]);
        return text(JSON.stringify([a, b]));
      });
      const wire = await open(bench);
      const { taskId } = await beginExtension(wire, 'pair');
      const both = await until(wire, taskId, (task) => Object.keys(task.inputRequests ?? {}).length === 2);
      const [first, second] = Object.keys(both.inputRequests) as [string, string];
      expect(
        Object.values<any>(both.inputRequests)
          .map((ask) => [ask.method, ask.params.message])
          .sort(),
      ).toEqual([
        ['elicitation/create', 'A?'],
        ['elicitation/create', 'B?'],
      ]);
      expect((await get(wire, taskId)).inputRequests).toEqual(both.inputRequests);
      const inputResponses = { [first]: accept('one'), never: accept('x'), constructor: accept('y') };
      const ack = await wire.result('tasks/update', { taskId, inputResponses }, stateless);
      expect(Object.keys(ack).sort()).toEqual(['_meta', 'resultType']);
      expect(ack.resultType).toBe('complete');
      const left = await get(wire, taskId);
      expect(left.status).toBe('input_required');
      expect(Object.keys(left.inputRequests)).toEqual([second]);
      const late = { [first]: accept('changed'), [second]: accept('two') };
      await wire.result('tasks/update', { taskId, inputResponses: late }, stateless);
      const task = await until(wire, taskId, ended);
      const names = JSON.parse(task.result.content[0].text).map((answer: any) => answer.content.name);
      expect(names.sort()).toEqual(['one', 'two']);
      await wire.result('tasks/update', { taskId, inputResponses: { [second]: accept('later') } }, stateless);
      expect(await get(wire, taskId)).toEqual(task);
    },
  );

  proves('M-TASK-027, M-TASK-028').test(
    'never uses a key twice, though the question is the same or the author gave the same name',
    async () => {
      const bench = new Bench();
      bench.server.registerTool('again', { task: 'optional' }, async (ctx) => {
        const names: string[] = [];
        for (let round = 0; round < 3; round += 1) {
          const answer = await ctx.elicit({ message: 'Who?', schema: Name, ...(round > 0 && { key: 'who' }) });
          if (answer.action === 'accept') names.push(answer.content.name);
        }
        return text(names.join());
      });
      const wire = await open(bench);
      const { taskId } = await beginExtension(wire, 'again');
      const seen: string[] = [];
      for (const name of ['a', 'b', 'c']) {
        const task = await until(
          wire,
          taskId,
          (now) => waiting(now) && !seen.includes(Object.keys(now.inputRequests)[0] ?? ''),
        );
        const [key] = Object.keys(task.inputRequests);
        seen.push(key as string);
        await wire.result('tasks/update', { taskId, inputResponses: { [key as string]: accept(name) } }, stateless);
      }
      expect(new Set(seen).size).toBe(3);
      expect((await until(wire, taskId, ended)).result.content).toEqual(text('a,b,c').content);
    },
  );

  proves('M-TASK-028').test('nor in the explicit style, where each round may name its questions alike', async () => {
    const bench = new Bench();
    bench.server.registerTool('explicit', { task: 'optional' }, (ctx) => {
      const round = Number(ctx.requestState ?? '0');
      const answer = acceptedContent<any>(ctx.inputResponses, 'who');
      if (round === 2) return text(`${answer?.name}`);
      const ask = inputRequired.elicit({ message: `Round ${round}`, requestedSchema: Name });
      return inputRequired({ inputRequests: { who: ask }, requestState: `${round + 1}` });
    });
    const wire = await open(bench);
    const { taskId } = await beginExtension(wire, 'explicit');
    const keys: string[] = [];
    for (const name of ['a', 'b']) {
      const task = await until(
        wire,
        taskId,
        (now) => waiting(now) && !keys.includes(Object.keys(now.inputRequests)[0] ?? ''),
      );
      const [key] = Object.keys(task.inputRequests);
      keys.push(key as string);
      await wire.result('tasks/update', { taskId, inputResponses: { [key as string]: accept(name) } }, stateless);
    }
    expect(new Set(keys).size).toBe(2);
    expect((await until(wire, taskId, ended)).result.content).toEqual(text('b').content);
  });

  test('an update without answers is refused', async () => {
    const wire = await open(new Bench());
    const { taskId } = await beginExtension(wire, 'asks');
    expect((await wire.error('tasks/update', { taskId }, stateless)).code).toBe(-32602);
  });

  test('a question that is not waited for any longer is withdrawn', async () => {
    const bench = new Bench();
    const controller = new AbortController();
    const go = gate();
    bench.server.registerTool('impatient', { task: 'optional' }, async (ctx) => {
      await ctx.elicit({ message: 'Quick?', schema: Name }, { signal: controller.signal }).catch(() => {});
      await go.promise;
      return text('went on');
    });
    const wire = await open(bench);
    const { taskId } = await beginExtension(wire, 'impatient');
    await until(wire, taskId, waiting);
    controller.abort();
    const task = await until(wire, taskId, (now) => now.status === 'working');
    expect(task).not.toHaveProperty('inputRequests');
    go.open();
    expect((await until(wire, taskId, ended)).result.content).toEqual(text('went on').content);
  });

  proves('M-TASK-013').test('can be done on the call itself, before it becomes a task', async () => {
    const bench = new Bench();
    bench.server.registerTool('later', { task: { support: 'optional', begin: 'when-told' } }, async (ctx) => {
      const quote = await ctx.step('quote', () => {
        bench.did.push('quote');
        return 5;
      });
      const answer = await ctx.elicit({ message: 'Who?', schema: Name });
      await ctx.beginTask();
      bench.did.push(ctx.task === undefined ? 'plain' : 'task');
      return text(`${quote} ${answer.action === 'accept' ? answer.content.name : ''}`);
    });
    const wire = await open(bench);
    const asked = await wire.result('tools/call', { name: 'later' }, stateless);
    expect(asked).toMatchObject({ resultType: 'input_required' });
    expect(asked).not.toHaveProperty('taskId');
    const [key] = Object.keys(asked.inputRequests);
    const retry = { inputResponses: { [key as string]: accept('Alice') }, requestState: asked.requestState };
    const made = await wire.result('tools/call', { name: 'later', ...retry }, stateless);
    expect(made).toMatchObject({ resultType: 'task', status: 'working' });
    expect(made).not.toHaveProperty('requestState');
    expect((await until(wire, made.taskId, ended)).result.content).toEqual(text('5 Alice').content);
    expect(bench.did).toEqual(['quote', 'task']);
    // A client without tasks is simply answered.
    const options = { capabilities: undeclared };
    const again = await wire.result('tools/call', { name: 'later' }, stateless, options);
    const answers = { [Object.keys(again.inputRequests)[0] as string]: accept('Bob') };
    const params = { name: 'later', inputResponses: answers, requestState: again.requestState };
    expect(await wire.result('tools/call', params, stateless, options)).toMatchObject(text('5 Bob'));
  });
});

describe('tasks/cancel', () => {
  proves('M-TASK-034').test(
    'is acknowledged with nothing, for a task that works and for one that has ended',
    async () => {
      const bench = new Bench();
      const wire = await open(bench);
      const { taskId } = await beginExtension(wire, 'slow', { key: 'a' });
      await quiet();
      const done = await beginExtension(wire, 'must');
      await until(wire, done.taskId, ended);
      for (const id of [taskId, taskId, done.taskId]) {
        const ack = await wire.result('tasks/cancel', { taskId: id }, stateless);
        expect(ack).toMatchObject({ resultType: 'complete' });
        expect(Object.keys(ack).sort()).toEqual(['_meta', 'resultType']);
      }
      expect(bench.did).toEqual(['began:a', 'aborted:a']);
      expect((await get(wire, taskId)).status).toBe('cancelled');
      expect((await get(wire, done.taskId)).status).toBe('completed');
    },
  );
});

describe('listening', () => {
  const listen = (wire: Wire, taskIds: unknown, capabilities = declared): string | number =>
    wire.start('subscriptions/listen', { notifications: { taskIds } }, stateless, { capabilities });

  proves('M-TASK-038').test('brings every state of the tasks that were granted, as tasks/get shows it', async () => {
    const bench = new Bench();
    const wire = await open(bench);
    const { taskId } = await beginExtension(wire, 'slow', { key: 'a' });
    const other = await beginExtension(wire, 'slow', { key: 'b' });
    const id = listen(wire, [taskId, 'unknown']);
    const ack = await wire.notification('notifications/subscriptions/acknowledged');
    expect(ack.params?.['notifications']).toEqual({ taskIds: [taskId] });
    const first = await wire.notification('notifications/tasks');
    expect(first.params).toMatchObject({ taskId, status: 'working' });
    bench.gate('b').open(undefined);
    await until(wire, other.taskId, ended);
    bench.gate('a').open('pushed');
    const last = await wire.frame((frame) => frame.params?.['status'] === 'completed', 'the completed task');
    const { _meta, ...pushed } = last.params ?? {};
    const { _meta: _own, resultType, ...polled } = await get(wire, taskId);
    expect(pushed).toEqual(polled);
    expect(_meta).toEqual({ 'io.modelcontextprotocol/subscriptionId': id });
    expect(resultType).toBe('complete');
    expect(wire.notified('notifications/tasks').every((frame) => frame.params?.['taskId'] === taskId)).toBe(true);
  });

  test('brings questions, so that nobody has to poll', async () => {
    const wire = await open(new Bench());
    const { taskId } = await beginExtension(wire, 'asks');
    listen(wire, [taskId]);
    const { params } = await wire.frame((frame) => frame.params?.['status'] === 'input_required', 'the question');
    const [key] = Object.keys(params?.['inputRequests'] as object);
    await wire.result('tasks/update', { taskId, inputResponses: { [key as string]: accept('Eve') } }, stateless);
    const last = await wire.frame((frame) => frame.params?.['status'] === 'completed', 'the completed task');
    expect(last.params).toMatchObject({ result: text('Hello, Eve!') });
  });

  test('tells at once of a task that has ended already', async () => {
    const wire = await open(new Bench());
    const { taskId } = await beginExtension(wire, 'must');
    await until(wire, taskId, ended);
    listen(wire, [taskId]);
    expect((await wire.notification('notifications/tasks')).params).toMatchObject({ taskId, status: 'completed' });
  });

  proves('M-TASK-039').test('is refused without the extension', async () => {
    const wire = await open(new Bench());
    const { taskId } = await beginExtension(wire, 'must');
    const frame = await wire.answer(listen(wire, [taskId], undeclared));
    expect(frame.error).toMatchObject(MISSING);
  });

  proves('M-TASK-040').test('brings no progress and no log messages, and neither does anything else', async () => {
    const bench = new Bench({ capabilities: { logging: {} } });
    const wire = await open(bench);
    const options = { progressToken: 'p', logLevel: 'debug' } as const;
    const { taskId } = await beginExtension(wire, 'slow', { key: 'a' }, options);
    listen(wire, [taskId]);
    await wire.notification('notifications/tasks');
    bench.contexts[0]?.progress(1);
    bench.contexts[0]?.log('error', 'Nobody hears this');
    bench.gate('a').open(undefined);
    await wire.frame((frame) => frame.params?.['status'] === 'completed', 'the completed task');
    expect(wire.notified('notifications/progress')).toEqual([]);
    expect(wire.notified('notifications/message')).toEqual([]);
  });

  test('a change on one node is heard on another', async () => {
    const store = memoryStore();
    const bench = new Bench({ tasks: { store } });
    const here = await open(bench);
    const there = await open(new Bench({ tasks: { store } }));
    const { taskId } = await beginExtension(here, 'slow', { key: 'a' });
    listen(there, [taskId]);
    await there.notification('notifications/tasks');
    bench.gate('a').open(undefined);
    await there.frame((frame) => frame.params?.['status'] === 'completed', 'the completed task');
  });
});

describe('the states of a task', () => {
  const states: readonly TaskStatus[] = ['working', 'input_required', 'completed', 'failed', 'cancelled'];

  proves('L-TASKS-020, L-TASKS-021, M-TASK-011').test('are left only as the protocol allows', () => {
    const moves = states.flatMap((from) => states.filter((to) => mayBecome(from, to)).map((to) => `${from}>${to}`));
    expect(moves).toEqual([
      'working>input_required',
      'working>completed',
      'working>failed',
      'working>cancelled',
      'input_required>working',
      'input_required>completed',
      'input_required>failed',
      'input_required>cancelled',
    ]);
    expect(states.filter(isTerminal)).toEqual(['completed', 'failed', 'cancelled']);
  });

  proves('L-TASKS-021, M-TASK-011').test(
    'an end is final, whatever comes later: result, answer, cancellation or status',
    async () => {
      const bench = new Bench();
      const wire = await open(bench);
      const { taskId } = await beginExtension(wire, 'slow', { key: 'a' });
      await quiet();
      bench.gate('a').open(undefined);
      const task = await until(wire, taskId, ended);
      await bench.contexts[0]?.task?.setStatus('Still here');
      await wire.result('tasks/cancel', { taskId }, stateless);
      await wire.result('tasks/update', { taskId, inputResponses: { a: {} } }, stateless);
      expect(await get(wire, taskId)).toEqual(task);
    },
  );
});
