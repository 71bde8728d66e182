import { PassThrough } from 'node:stream';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { McpServer, text } from '../../src/server/index.ts';
import { StdioServerTransport } from '../../src/server/stdio.ts';
import { isRunning, until } from '../fixtures/stdio/compiled.ts';
import { proves } from '../requirements/proves.ts';
import { envelope, RawClient } from './raw-client.ts';
import { crosspoint, program, sdkTwo } from './subjects.ts';
import { fromJsonSchema } from '../../src/schema/index.ts';

const open: RawClient[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.end()));
});

function raw(...args: string[]): RawClient {
  const client = new RawClient([program('crosspoint-server.mjs'), ...args]);
  open.push(client);
  return client;
}

const call = (id: string | number, name: string, meta: object = envelope(), args: object = {}): object => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args, _meta: meta },
});

describe('a client that', () => {
  it('reuses ids of other connections gets its own answers only', async () => {
    const server = new McpServer({ name: 'shared', version: '1.0.0' });
    const gates: (() => void)[] = [];
    server.registerTool('who', { inputSchema: fromJsonSchema({ type: 'object' }) }, async (args) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return text((args as { me: string }).me);
    });
    const clients = await Promise.all(
      ['ada', 'bob', 'eve'].map(async (me) => {
        const stdin = new PassThrough();
        const stdout = new PassThrough();
        await server.connect(new StdioServerTransport(stdin, stdout));
        let received = '';
        stdout.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
        stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...call(1, 'who', envelope(), { me }) })}\n`);
        return { me, received: () => received };
      }),
    );
    await until(() => gates.length === 3);
    for (const gate of gates.toReversed()) gate();
    for (const { me, received } of clients) {
      await until(() => received().endsWith('\n'));
      expect(
        received()
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toMatchObject([{ id: 1, result: { content: [{ text: me }] } }]);
    }
    await server.close();
  });

  it('reuses an id in flight is told so without an answer to that id, and the first request goes on', async () => {
    const client = raw();
    await client.initialize();
    client.send(call(7, 'count', {}), call(7, 'pid', {}));
    expect(await client.frame(({ error }) => error !== undefined)).toMatchObject({
      error: { code: -32600, message: expect.stringContaining('7') as string },
    });
    expect(client.frames.filter(({ id }) => id === 7)).toEqual([]);
    client.send(call(8, 'go', {}));
    expect(await client.answer(7)).toMatchObject({ result: { content: [{ text: 'counted' }] } });
    client.send(call(7, 'pid', {}));
    await until(() => client.frames.filter(({ id }) => id === 7).length === 2);
  });

  it.each([
    ['in the middle of a call', 'wait'],
    ['while an answer of 5 MB is being written to it', 'big'],
  ])('vanishes without closing %s: the server ends too', async (_when, tool) => {
    const host = spawn(
      process.execPath,
      [program('vanishing-host.mjs'), program(tool === 'big' ? 'noisy-server.mjs' : 'crosspoint-server.mjs'), tool],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const [chunk] = (await once(host.stdout, 'data')) as [Buffer];
    const pid = Number(chunk.toString());
    expect(isRunning(pid)).toBe(true);
    host.kill('SIGKILL');
    await once(host, 'exit');
    await until(() => !isRunning(pid));
  });

  proves('M-VER-003').it('opens with any request is answered', async () => {
    const client = raw();
    client.send(call(1, 'add', envelope(), { a: 1, b: 2 }));
    expect(await client.answer(1)).toMatchObject({ result: { structuredContent: { sum: 3 }, resultType: 'complete' } });
  });

  it('sends what is no message is told so, and the stream goes on', async () => {
    const client = raw();
    await client.initialize();
    client.child.stdin.write('garbage\n{"jsonrpc":"1.0","id":3,"method":"ping"}\n[]\n\n');
    client.send({ id: 4, method: 'ping' });
    expect(await client.answer(4)).toMatchObject({ result: {} });
    expect(client.frames.filter(({ error }) => error?.code === -32700)).toHaveLength(1);
  });
});

describe('our server on one pipe', () => {
  proves('M-VER-004').it('judges the version request by request', async () => {
    const client = raw();
    client.send(call(1, 'pid'), call(2, 'pid', envelope('1900-01-01')), call(3, 'pid'));
    expect(await client.answer(2)).toMatchObject({
      error: { code: -32022, data: { supported: ['2026-07-28'], requested: '1900-01-01' } },
    });
    expect(await client.answer(1)).toHaveProperty('result');
    expect(await client.answer(3)).toHaveProperty('result');
  });

  proves('M-IOP-023, M-IOP-022, M-IOP-024').it(
    'serves the per-request family inside an open handshake session, and neither knows of the other',
    async () => {
      const client = raw();
      client.send(call(1, 'chat'));
      expect(await client.answer(1)).toHaveProperty('result.resultType', 'complete');
      expect(await client.initialize()).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
      client.send({ id: 2, method: 'logging/setLevel', params: { level: 'debug' } });
      await client.answer(2);
      client.send(call(3, 'chat'));
      await client.answer(3);
      expect(
        client.frames.filter(({ method }) => method === 'notifications/message'),
        'logs of the session in a request without a level',
      ).toEqual([]);
      client.send(call(4, 'chat', {}));
      const answer = await client.answer(4);
      expect(answer.result).not.toHaveProperty('resultType');
      expect(client.frames.filter(({ method }) => method === 'notifications/message')).toHaveLength(2);
    },
  );

  proves('M-STDIO-010, M-STDIO-011, M-CAN-011').it(
    'stops work on a request that was cancelled, and says nothing more of it',
    async () => {
      const client = raw();
      client.send(call('w', 'wait', { ...envelope(), progressToken: 'p' }));
      await client.frame(({ method }) => method === 'notifications/progress');
      client.send(
        { method: 'notifications/cancelled', params: { requestId: 'w', reason: 'enough' } },
        call('a', 'aborts'),
      );
      expect(await client.answer('a')).toMatchObject({ result: { content: [{ text: '1' }] } });
      client.send(call('b', 'pid'));
      await client.answer('b');
      expect(client.frames.filter(({ id, params }) => id === 'w' || params?.['progressToken'] === 'p')).toHaveLength(1);
    },
  );

  proves('M-STDIO-007').it(
    'writes no request to a client of the per-request family, even when a tool asks',
    async () => {
      const client = raw();
      for (const [id, name] of ['ask', 'sample', 'roots'].entries())
        client.send(call(id, name, envelope(undefined, { elicitation: {}, sampling: {}, roots: {} })));
      for (const id of [0, 1, 2]) await client.answer(id);
      expect(client.frames.filter(({ id, method }) => method !== undefined && id !== undefined)).toEqual([]);
    },
  );

  proves('M-STDIO-017').it(
    'needs nothing but the message: a parameter that is a header elsewhere is one like others here',
    async () => {
      const client = raw();
      client.send(call(1, 'region', envelope(), { region: 'eu' }));
      expect(await client.answer(1)).toMatchObject({ result: { content: [{ text: 'in eu' }] } });
    },
  );

  proves('M-CAN-002, M-SUB-003, M-SUB-008, M-SUB-013, M-SUB-014').it(
    'ends a stream in both ways when it closes: a cancellation and an answer',
    async () => {
      const client = raw();
      client.send({
        id: 'stream',
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta: envelope() },
      });
      const mark = { 'io.modelcontextprotocol/subscriptionId': 'stream' };
      expect(
        client.frames.indexOf(
          await client.frame(({ method }) => method === 'notifications/subscriptions/acknowledged'),
        ),
      ).toBe(0);
      client.send(call(1, 'grow'));
      expect(await client.frame(({ method }) => method === 'notifications/tools/list_changed')).toMatchObject({
        params: { _meta: mark },
      });
      client.send(call(2, 'quit'));
      expect(await client.frame(({ method }) => method === 'notifications/cancelled')).toMatchObject({
        params: { requestId: 'stream' },
      });
      expect(await client.answer('stream')).toMatchObject({ result: { resultType: 'complete', _meta: mark } });
    },
  );

  proves('M-CAN-004').it.each([
    ['our client', crosspoint],
    ['the SDK 2 client', (args: readonly string[]) => sdkTwo(args, 'auto')],
  ])('ends a stream so that %s takes it for a good end', async (_who, connect) => {
    const subject = await connect([program('crosspoint-server.mjs')]);
    const client = subject.client as unknown as { listen(filter: object): Promise<{ closed: Promise<string> }> };
    const stream = await client.listen({ toolsListChanged: true });
    await subject.call('quit');
    expect(await stream.closed).toBe('graceful');
    await subject.client.close();
  });
});

describe('our server with streams on one pipe', () => {
  const listen = (id: string, notifications: object): object => ({
    id,
    method: 'subscriptions/listen',
    params: { notifications, _meta: envelope() },
  });
  const marks = (client: RawClient, method: string): unknown[] =>
    client.frames
      .filter((frame) => frame.method === method)
      .map(({ params }) => params?.['_meta']?.['io.modelcontextprotocol/subscriptionId']);

  proves('M-SUB-002, M-SUB-010, M-SUB-012, M-SUB-018').it(
    'keeps them apart: each gets what it asked for, and nothing after its end',
    async () => {
      const client = raw();
      client.send(
        listen('tools', { toolsListChanged: true }),
        listen('both', { toolsListChanged: true, resourceSubscriptions: ['memo://note'] }),
        listen('other', { resourceSubscriptions: ['memo://other'] }),
      );
      await until(() => marks(client, 'notifications/subscriptions/acknowledged').length === 3);
      client.send(call(1, 'grow'), call(2, 'touch'));
      await client.answer(2);
      await until(() => marks(client, 'notifications/resources/updated').length === 1);
      expect(marks(client, 'notifications/tools/list_changed').toSorted()).toEqual(['both', 'tools']);
      expect(marks(client, 'notifications/resources/updated')).toEqual(['both']);

      client.send(
        { method: 'notifications/cancelled', params: { requestId: 'both' } },
        call(3, 'grow'),
        call(4, 'touch'),
      );
      await client.answer(4);
      await until(() => marks(client, 'notifications/tools/list_changed').length === 3);
      client.send(call(5, 'pid'));
      await client.answer(5);
      expect(marks(client, 'notifications/tools/list_changed').at(-1)).toBe('tools');
      expect(marks(client, 'notifications/resources/updated')).toEqual(['both']);
      expect(client.frames.filter(({ id }) => id === 'both')).toEqual([]);
    },
  );

  proves('M-SUB-017').it('tells a client that has not asked nothing', async () => {
    const client = raw();
    client.send(call(1, 'grow'), call(2, 'touch'));
    await client.answer(2);
    client.send(call(3, 'pid'));
    await client.answer(3);
    expect(client.frames.filter(({ method }) => method !== undefined)).toEqual([]);
  });
});

describe('our server in one family only', () => {
  proves('M-IOP-027, M-IOP-031').it('without a handshake names its versions to whoever tries one', async () => {
    const client = raw('per-request');
    const { error } = await client.initialize();
    expect(error).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'] } });
  });

  proves('M-IOP-033').it(
    'does not serve methods of the other family to requests that carry their version',
    async () => {
      const client = raw();
      const removed = [
        'initialize',
        'ping',
        'logging/setLevel',
        'resources/subscribe',
        'resources/unsubscribe',
        'tasks/list',
        'tasks/result',
      ];
      for (const method of removed)
        client.send({
          id: method,
          method,
          params: { level: 'info', uri: 'memo://note', taskId: '1', _meta: envelope() },
        });
      for (const method of removed) expect(await client.answer(method)).toMatchObject({ error: { code: -32601 } });
    },
  );

  proves('L-STDIO-010').it('processes a line that holds a batch, in the revision that has them', async () => {
    const client = raw('2025-03-26');
    await client.initialize('2025-03-26');
    client.child.stdin.write(
      `${JSON.stringify([
        { jsonrpc: '2.0', ...call(1, 'add', {}, { a: 1, b: 1 }) },
        { jsonrpc: '2.0', method: 'notifications/unheard-of' },
        { jsonrpc: '2.0', id: 2, method: 'ping' },
      ])}\n`,
    );
    await until(() => client.lines.length === 2);
    const answers = JSON.parse(client.lines[1] ?? '') as { id: number }[];
    expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2]);
  });
});

describe('two clients in one program', () => {
  proves('L-LIFECYCLE-033').it.each([['handshake'], ['per-request']] as const)(
    'share neither processes nor subscriptions (%s)',
    async (family) => {
      const [first, second] = await Promise.all(
        [1, 2].map(() => crosspoint([program('crosspoint-server.mjs')], family)),
      );
      expect((await first!.call('pid')).content).not.toEqual((await second!.call('pid')).content);
      await first!.watch({ uri: 'memo://note' });
      await Promise.all([first!.call('touch'), second!.call('touch')]);
      await until(() => first!.events.updates.length > 0);
      await second!.call('pid');
      expect([first!.events.updates, second!.events.updates]).toEqual([['memo://note'], []]);
      await first!.client.close();
      expect((await second!.call('pid')).isError ?? false).toBe(false);
      await second!.client.close();
    },
  );
});

describe('cancellation and completion that cross', () => {
  proves('L-CANCELLATION-009, M-CAN-014').it.each([['handshake'], ['per-request']] as const)(
    'harm nobody: every call settles once, and the connection goes on (%s)',
    async (family) => {
      const subject = await crosspoint([program('crosspoint-server.mjs')], family);
      let settled = 0;
      const outcomes = await Promise.all(
        Array.from({ length: 300 }, async (_, index) => {
          const controller = new AbortController();
          const result = subject.call('add', { a: index, b: 1 }, { signal: controller.signal }).then(
            (value) => (value.structuredContent as { sum: number }).sum === index + 1,
            (error: Error) => error.message.includes('crossed'),
          );
          const abort = (): void => controller.abort(new Error('crossed'));
          // Before the request has left, while it is under way, and about when the answer comes.
          if (index % 4 === 0) abort();
          else if (index % 4 === 1) setImmediate(abort);
          else if (index % 4 === 2) setTimeout(abort, index % 7);
          const isExpected = await result;
          settled += 1;
          return isExpected;
        }),
      );
      expect(settled).toBe(300);
      expect(outcomes.every(Boolean)).toBe(true);
      expect(await subject.call('add', { a: 1, b: 1 })).toMatchObject({ structuredContent: { sum: 2 } });
      expect(subject.events.problems).toEqual([]);
      await subject.client.close();
    },
  );
});
