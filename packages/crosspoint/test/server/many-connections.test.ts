import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { Revision } from '../../src/revisions/revision.ts';
import { revisions } from '../../src/revisions/index.ts';
import { McpServer, text } from '../../src/server/index.ts';
import {
  auth,
  everyHandshake,
  everyRevision,
  gate,
  newestHandshake,
  quiet,
  stateless,
  Wire,
  type Gate,
} from './wire.ts';
import { fromJsonSchema } from '../../src/schema/index.ts';

const info = { name: 'many', version: '1.0' };

/** Answers when the test opens the gate that the call names. */
function gated(): { server: McpServer; open: (key: string) => void } {
  const gates = new Map<string, Gate<void>>();
  const at = (key: string): Gate<void> => {
    let found = gates.get(key);
    if (!found) gates.set(key, (found = gate()));
    return found;
  };
  const server = new McpServer(info, { capabilities: { logging: {} } });
  server.registerTool('echo', { inputSchema: fromJsonSchema({ type: 'object' }) }, async (args, ctx) => {
    ctx.progress(1, 1, String(args['secret']));
    await at(String(args['key'])).promise;
    ctx.log('error', args['secret']);
    if (args['fail'] === true) throw new Error(String(args['secret']));
    return text(String(args['secret']));
  });
  return { server, open: (key) => at(key).open() };
}

describe.each(everyRevision)('clients of %s with equal ids and tokens', (_id, revision) => {
  test('every answer, progress and log message reaches the one who asked, whoever is faster', async () => {
    const { server, open } = gated();
    const wires = await Promise.all(Array.from({ length: 4 }, () => Wire.open(server)));
    const options = { id: 1000, progressToken: 'same', logLevel: 'debug' as const };
    for (const [index, wire] of wires.entries()) {
      if (revision !== stateless) await wire.handshake(revision);
      wire.start(
        'tools/call',
        { name: 'echo', arguments: { key: `k${index}`, secret: `secret of ${index}`, fail: index === 2 } },
        revision,
        options,
      );
    }
    await quiet();
    for (const index of [3, 1, 0, 2]) {
      open(`k${index}`);
      await wires[index]!.answer(1000);
    }
    await quiet();
    for (const [index, wire] of wires.entries()) {
      expect(wire.answers(1000)).toHaveLength(1);
      expect(wire.answers(1000)[0]?.result.content[0].text).toBe(`secret of ${index}`);
      expect(JSON.stringify(wire.frames)).not.toMatch(new RegExp(`secret of [^${index}]`));
      expect(wire.notified('notifications/progress')).toHaveLength(1);
      expect(wire.notified('notifications/message').map((frame) => frame.params?.['data'])).toEqual([
        `secret of ${index}`,
      ]);
    }
  });

  test("a cancellation ends only the canceller's own request", async () => {
    const { server, open } = gated();
    const [one, two] = [await Wire.open(server), await Wire.open(server)];
    for (const [index, wire] of [one, two].entries()) {
      if (revision !== stateless) await wire.handshake(revision);
      wire.start('tools/call', { name: 'echo', arguments: { key: `k${index}`, secret: `${index}` } }, revision, {
        id: 5,
      });
    }
    await quiet();
    one.notify('notifications/cancelled', { requestId: 5 });
    await quiet();
    open('k0');
    open('k1');
    expect((await two.answer(5)).result.content[0].text).toBe('1');
    await quiet();
    expect(one.answers(5)).toEqual([]);
  });

  test('a connection that ends takes nothing of the others along', async () => {
    const { server, open } = gated();
    const [one, two] = [await Wire.open(server), await Wire.open(server)];
    for (const wire of [one, two]) {
      if (revision !== stateless) await wire.handshake(revision);
      wire.start('tools/call', { name: 'echo', arguments: { key: 'k', secret: 'x' } }, revision, { id: 5 });
    }
    await quiet();
    await one.close();
    open('k');
    expect((await two.answer(5)).result.content[0].text).toBe('x');
    expect(server.isConnected()).toBe(true);
    await two.result('tools/list', {}, revision);
  });

  test('a connection may be opened while others are at work, and the same object serves it', async () => {
    const { server, open } = gated();
    const one = await Wire.open(server);
    if (revision !== stateless) await one.handshake(revision);
    one.start('tools/call', { name: 'echo', arguments: { key: 'k', secret: 'first' } }, revision, { id: 5 });
    await quiet();
    const two = await Wire.open(server);
    expect((await two.result('tools/list', {}, revision)).tools).toHaveLength(1);
    open('k');
    expect((await one.answer(5)).result.content[0].text).toBe('first');
  });
});

test('clients of all revisions at once, in any order, get their own answers', async () => {
  const plan = fc.array(fc.record({ who: fc.nat(5), turns: fc.nat(3) }), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(plan, async (calls) => {
      const server = new McpServer(info);
      server.registerTool('slow', { inputSchema: fromJsonSchema({ type: 'object' }) }, async (args, ctx) => {
        for (let turn = 0; turn < Number(args['turns']); turn += 1) await Promise.resolve();
        return text(`${String(args['who'])} ${String(args['n'])} ${ctx.protocolVersion}`);
      });
      const speakers: [Wire, Revision][] = [];
      for (const revision of [...revisions, stateless]) {
        const wire = await Wire.open(server);
        if (revision !== stateless) await wire.handshake(revision);
        speakers.push([wire, revision]);
      }
      const counts = new Map<number, number>();
      const asked = calls.map(({ who, turns }) => {
        const [wire, revision] = speakers[who]!;
        const n = (counts.get(who) ?? 0) + 1;
        counts.set(who, n);
        wire.start('tools/call', { name: 'slow', arguments: { who, turns, n } }, revision, { id: 1000 + n });
        return { who, n, wire, revision };
      });
      for (const { who, n, wire, revision } of asked)
        expect((await wire.answer(1000 + n)).result.content[0].text).toBe(`${who} ${n} ${revision.id}`);
      await server.close();
    }),
    { numRuns: 25 },
  );
});

describe.each(everyHandshake)('questions to clients of %s', (_id, revision) => {
  test('the client whose call asks is asked, and its answer comes back to that call', async () => {
    const server = new McpServer(info);
    server.registerTool('roots', {}, async (ctx) => text(JSON.stringify(await ctx.listRoots())));
    const wires = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        const wire = await Wire.open(server, { roots: {} });
        wire.onrequest = async () => {
          await quiet();
          return { roots: [{ uri: `file:///${name}` }] };
        };
        await wire.handshake(revision);
        return wire;
      }),
    );
    for (const wire of wires) wire.start('tools/call', { name: 'roots' }, revision, { id: 9 });
    const answers = await Promise.all(wires.map(async (wire) => (await wire.answer(9)).result.content[0].text));
    expect(answers).toEqual(['a', 'b', 'c'].map((name) => `[{"uri":"file:///${name}"}]`));
    for (const wire of wires) expect(wire.asked).toHaveLength(1);
  });

  test('an answer from another client with the same id settles nothing', async () => {
    const server = new McpServer(info);
    server.registerTool('roots', {}, async (ctx) => text(JSON.stringify(await ctx.listRoots())));
    const [victim, attacker] = [await Wire.open(server, { roots: {} }), await Wire.open(server, { roots: {} })];
    for (const wire of [victim, attacker]) await wire.handshake(revision);
    victim.start('tools/call', { name: 'roots' }, revision, { id: 9 });
    const asked = await victim.frame((frame) => frame.method === 'roots/list', 'the question');
    attacker.send({ jsonrpc: '2.0', id: asked.id, result: { roots: [{ uri: 'file:///evil' }] } });
    await quiet();
    expect(victim.answers(9)).toEqual([]);
    victim.send({ jsonrpc: '2.0', id: asked.id, result: { roots: [] } });
    expect((await victim.answer(9)).result.content[0].text).toBe('[]');
  });
});

test('what a session was told, its name and its identity stay with it', async () => {
  const server = new McpServer(info);
  server.registerTool('who', {}, (ctx) =>
    text(JSON.stringify([ctx.client?.name, ctx.sessionId, ctx.authInfo?.clientId, ctx.capabilities])),
  );
  const wires = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const wire = await Wire.open(server);
      wire.serverTransport.sessionId = `session-${name}`;
      wire.client = { name, version: '1' };
      await wire.handshake(newestHandshake, name === 'a' ? { roots: {} } : {});
      return wire;
    }),
  );
  for (const [index, wire] of wires.entries())
    wire.start('tools/call', { name: 'who' }, newestHandshake, { id: 3, authInfo: auth(`client-${index}`) });
  expect((await wires[0]!.answer(3)).result.content[0].text).toBe('["a","session-a","client-0",{"roots":{}}]');
  expect((await wires[1]!.answer(3)).result.content[0].text).toBe('["b","session-b","client-1",{}]');
});

test('calls in flight keep the registry they began with', async () => {
  const { server, open } = gated();
  const wire = await Wire.open(server);
  wire.start('tools/call', { name: 'echo', arguments: { key: 'k', secret: 'kept' } }, stateless, { id: 1 });
  await quiet();
  server.registerTool('other', {}, () => text(''));
  open('k');
  expect((await wire.answer(1)).result.content[0].text).toBe('kept');
});

test('onclose is called once for each connection, and callbacks set on a transport before stay', async () => {
  const server = new McpServer(info);
  let closed = 0;
  server.server.onclose = () => {
    closed += 1;
  };
  const wires = [await Wire.open(server), await Wire.open(server)];
  await wires[0]!.close();
  expect(closed).toBe(1);
  await server.close();
  await server.close();
  expect(closed).toBe(2);
});
