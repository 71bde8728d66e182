import { describe, expect, test } from 'vitest';
import { McpServer, text } from '../../src/server/index.ts';
import { proves } from '../requirements/proves.ts';
import { batching, everyHandshake, everyRevision, gate, newestHandshake, quiet, stateless, Wire } from './wire.ts';
import { fromJsonSchema } from '../../src/schema/index.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

const info = { name: 'messages', version: '1.0' };

function simple(): { server: McpServer; problems: Error[] } {
  const server = new McpServer(info);
  const problems: Error[] = [];
  server.server.onerror = (error) => problems.push(error);
  server.registerTool('echo', { inputSchema: fromJsonSchema({ type: 'object' }) }, (args) =>
    text(String(args['words'])),
  );
  return { server, problems };
}

async function ready(revision: typeof stateless): Promise<{ wire: Wire; problems: Error[]; server: McpServer }> {
  const { server, problems } = simple();
  const wire = await Wire.open(server);
  if (revision !== stateless) await wire.handshake(revision);
  await quiet();
  return { wire, problems, server };
}

describe.each(everyRevision)('messages in %s', (_id, revision) => {
  proves('L-MESSAGES-026, M-ERR-014').test('one malformed input for each standard code', async () => {
    const { wire } = await ready(revision);
    wire.sendBadFrame({ kind: 'unparsable', reason: 'unexpected token', start: '{' });
    const parse = await wire.frame((frame) => frame.error?.code === -32700, 'parse error');
    expect(parse.id ?? undefined).toBeUndefined();
    wire.send({ jsonrpc: '2.0', id: 'r1', params: {} });
    expect((await wire.answer('r1')).error?.code).toBe(-32600);
    expect((await wire.error('no/such', {}, revision)).code).toBe(-32601);
    expect((await wire.error('tools/call', {}, revision)).code).toBe(-32602);
    const { server } = simple();
    server.server.setRequestHandler('com.example/fail', () => {
      throw new Error('x');
    });
    expect((await (await Wire.open(server)).error('com.example/fail', {}, revision)).code).toBe(-32603);
  });

  proves('L-MESSAGES-004, L-MESSAGES-003, L-MESSAGES-001, L-MESSAGES-025').test(
    'what is no request is refused with the id it can be answered with',
    async () => {
      const { wire, problems } = await ready(revision);
      const before = wire.frames.length;
      const bad: [unknown, unknown][] = [
        [{ jsonrpc: '1.0', id: 'a', method: 'ping' }, 'a'],
        [{ id: 'b', method: 'ping' }, 'b'],
        [{ jsonrpc: 2, id: 'c', method: 'ping' }, 'c'],
        [{ jsonrpc: '2.0', id: 'd', method: 7 }, 'd'],
        [{ jsonrpc: '2.0', id: 'e', method: 'ping', params: [] }, 'e'],
        [{ jsonrpc: '2.0', id: 'f', method: 'ping', result: {} }, 'f'],
        [{ jsonrpc: '2.0', id: null, method: 'ping' }, undefined],
        [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }, undefined],
        [{ jsonrpc: '2.0', id: true, method: 'ping' }, undefined],
        [{ jsonrpc: '2.0', id: {}, method: 'ping' }, undefined],
        ['text', undefined],
        [7, undefined],
        [null, undefined],
      ];
      for (const [message] of bad) wire.send(message);
      await quiet();
      const answers = wire.frames.slice(before);
      expect(answers.map((frame) => frame.error?.code)).toEqual(bad.map(() => -32600));
      expect(answers.map((frame) => frame.id ?? undefined)).toEqual(bad.map(([, id]) => id));
      // Of one kind the first ten are reported at once, and the others later, in sum.
      expect(problems).toHaveLength(10);
      await wire.result('tools/list', {}, revision);
    },
  );

  proves('L-MESSAGES-008, L-MESSAGES-006, L-MESSAGES-007').test(
    'where the id cannot be read it is null or left out, as the revision has it',
    async () => {
      const { wire } = await ready(revision);
      wire.send('text');
      const frame = await wire.frame((one) => one.error !== undefined, 'an error');
      // Before a stateless client has said anything the server answers like the newest handshake, which leaves it out as well.
      expect('id' in frame).toBe(revision.unreadableId === null);
      for (const id of ['7', 7]) {
        wire.start('tools/list', {}, revision, { id });
        const answer = await wire.answer(id);
        expect(answer.id).toBe(id);
        expect(answer.result.tools).toHaveLength(1);
      }
    },
  );

  proves('L-MESSAGES-015, M-BASE-012').test(
    'notifications are never answered: known, unknown, malformed or failing',
    async () => {
      const { wire, server, problems } = await ready(revision);
      server.server.setNotificationHandler('com.example/fail', () => {
        throw new Error('in the handler');
      });
      server.server.setNotificationHandler('com.example/reject', () => Promise.reject(new Error('in the promise')));
      const before = wire.frames.length;
      wire.notify('com.example/fail');
      wire.notify('com.example/reject');
      wire.notify('no/such');
      wire.notify('notifications/cancelled');
      wire.notify('notifications/progress', { progressToken: 1, progress: 1 });
      wire.notify('tools/list');
      wire.send({ jsonrpc: '2.0', method: 'com.example/x', params: [] });
      wire.send({ jsonrpc: '1.0', method: 'com.example/x' });
      await quiet();
      expect(wire.frames.slice(before)).toEqual([]);
      expect(problems.map((problem) => problem.message)).toEqual(
        expect.arrayContaining(['in the handler', 'in the promise']),
      );
    },
  );

  test('answers that nobody asked for, and errors without id, are reported and otherwise ignored', async () => {
    const { wire, problems } = await ready(revision);
    const before = wire.frames.length;
    wire.send({ jsonrpc: '2.0', id: 99, result: {} });
    wire.send({ jsonrpc: '2.0', id: 'x', error: { code: 1, message: 'x' } });
    wire.send({ jsonrpc: '2.0', error: { code: 1, message: 'at large' } });
    wire.send({ jsonrpc: '2.0', id: 99, result: 'no object' });
    await quiet();
    expect(wire.frames.slice(before)).toEqual([]);
    expect(problems).toHaveLength(4);
  });

  test('an id that is in use is refused without disturbing its first request', async () => {
    const { wire, server } = await ready(revision);
    const end = gate<string>();
    server.registerTool('wait', {}, async () => text(await end.promise));
    wire.start('tools/call', { name: 'wait' }, revision, { id: 'same' });
    await quiet();
    wire.start('tools/call', { name: 'echo' }, revision, { id: 'same' });
    await quiet();
    expect(wire.answers('same')).toEqual([]);
    expect(wire.frames.filter((frame) => frame.error?.code === -32600)).toHaveLength(1);
    end.open('first');
    expect((await wire.answer('same')).result.content[0].text).toBe('first');
  });

  test('a message that was too large is refused by its id where that could be read', async () => {
    const { wire } = await ready(revision);
    wire.sendBadFrame({ kind: 'too-large', limit: 10, id: undefined, isResponse: false });
    await quiet();
    expect(wire.frames.at(-1)?.error).toMatchObject({ code: -32600, data: { limit: 10 } });
    await wire.result('tools/list', {}, revision);
  });

  test('params and _meta may hold members that nobody knows', async () => {
    const { wire } = await ready(revision);
    const result = await wire.result(
      'tools/call',
      {
        name: 'echo',
        arguments: { words: 'hi' },
        extra: { a: 1 },
        _meta: { 'com.example/x': [1], 'io.modelcontextprotocol/unheard': { odd: true } },
      },
      revision,
    );
    expect(result.content[0].text).toBe('hi');
  });

  proves('L-MESSAGES-023').test(
    "a transport of the program's own keeps the form of messages and the order of the handshake",
    async () => {
      const { wire } = await ready(revision);
      await wire.call('echo', { words: 'x' }, revision);
      for (const frame of wire.frames) expect(frame.jsonrpc).toBe('2.0');
      expect(new Set(wire.frames.map((frame) => frame.id)).size).toBe(wire.frames.length);
    },
  );
});

describe('batches', () => {
  const ping = (id: unknown): object => ({ jsonrpc: '2.0', id, method: 'ping' });

  proves('L-MESSAGES-017').test(
    'where the revision has them every request in one is answered once, together',
    async () => {
      const { wire, server } = await ready(batching);
      const end = gate<string>();
      server.registerTool('wait', {}, async () => text(await end.promise));
      await quiet();
      const sent: unknown[] = [];
      const send = wire.serverTransport.send.bind(wire.serverTransport);
      wire.serverTransport.send = (message, options) => {
        sent.push(message);
        send(message, options);
      };
      wire.send([
        ping(101),
        { jsonrpc: '2.0', method: 'com.example/note' },
        { jsonrpc: '2.0', id: 102, method: 'tools/call', params: { name: 'wait' } },
        { jsonrpc: '2.0', id: 103, method: 'no/such' },
        { jsonrpc: '2.0', id: 104 },
      ]);
      await quiet();
      expect(sent).toEqual([]);
      end.open('waited');
      await wire.answer(102);
      expect(sent).toHaveLength(1);
      expect([101, 102, 103, 104].map((id) => wire.answers(id).length)).toEqual([1, 1, 1, 1]);
      expect(wire.answers(103)[0]?.error?.code).toBe(-32601);
    },
  );

  test('one that holds only notifications is not answered; a cancelled member is left out', async () => {
    const { wire, server } = await ready(batching);
    server.registerTool('wait', {}, () => new Promise(() => {}));
    await quiet();
    const before = wire.frames.length;
    wire.send([
      { jsonrpc: '2.0', method: 'com.example/a' },
      { jsonrpc: '2.0', method: 'com.example/b' },
    ]);
    wire.send([ping(201), { jsonrpc: '2.0', id: 202, method: 'tools/call', params: { name: 'wait' } }]);
    await quiet();
    expect(wire.frames.slice(before)).toEqual([]);
    wire.notify('notifications/cancelled', { requestId: 202 });
    await quiet();
    expect(wire.frames.slice(before).map((frame) => frame.id)).toEqual([201]);
  });

  test('one answer that cannot be written does not take the others along', async () => {
    const { wire, server } = await ready(batching);
    server.server.setRequestHandler('com.example/big', () => ({ big: 7n }));
    wire.send([ping(301), { jsonrpc: '2.0', id: 302, method: 'com.example/big' }]);
    await quiet();
    expect(wire.answers(301)).toEqual([{ jsonrpc: '2.0', id: 301, result: {} }]);
    expect(wire.answers(302)[0]?.error?.code).toBe(-32603);
  });

  proves('L-MESSAGES-019').test('initialize is refused inside one', async () => {
    const { wire } = await ready(batching);
    const params = { protocolVersion: batching.id, capabilities: {}, clientInfo: info };
    wire.send([{ jsonrpc: '2.0', id: 'i', method: 'initialize', params }]);
    expect((await wire.answer('i')).error?.code).toBe(-32600);
    const fresh = await Wire.open(simple().server);
    fresh.send([{ jsonrpc: '2.0', id: 'i', method: 'initialize', params }]);
    expect((await fresh.frame((frame) => frame.error !== undefined, 'an error')).error?.code).toBe(-32600);
    await fresh.handshake(batching);
  });

  proves('L-MESSAGES-020').test.each(everyHandshake.filter(([, revision]) => !revision.batches))(
    '%s has none: an array is refused, and none is ever sent',
    async (_id, revision) => {
      const { wire } = await ready(revision);
      const sent: unknown[] = [];
      const send = wire.serverTransport.send.bind(wire.serverTransport);
      wire.serverTransport.send = (message, options) => {
        sent.push(message);
        send(message, options);
      };
      for (const batch of [[ping(1001), ping(1002)], [], [[]]]) wire.send(batch);
      await quiet();
      expect(sent.map((message) => (message as { error?: { code: number } }).error?.code)).toEqual([
        -32600, -32600, -32600,
      ]);
      expect(wire.answers(1001)).toEqual([]);
    },
  );

  test('the stateless family has none', async () => {
    const { wire } = await ready(stateless);
    const params = clientWordsOf(stateless).writeRequest({
      method: 'tools/list',
      params: {},
      facts: { capabilities: {} },
    });
    wire.send([{ jsonrpc: '2.0', id: 1, method: 'tools/list', params }]);
    expect((await wire.frame((frame) => frame.error !== undefined, 'an error')).error?.code).toBe(-32600);
    expect(wire.answers(1)).toEqual([]);
  });
});

test("a message for a closed connection is nobody's problem", async () => {
  const { server } = simple();
  const wire = await Wire.open(server);
  await wire.handshake(newestHandshake);
  await wire.close();
  server.registerTool('new', {}, () => text(''));
  await quiet();
  expect(server.isConnected()).toBe(false);
});
