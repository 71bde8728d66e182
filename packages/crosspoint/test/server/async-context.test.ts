import { describe, expect, test } from 'vitest';
import { McpServer, Server, text, type McpServerOptions } from '../../src/server/index.ts';
import { everyHandshake, gate, newestHandshake, quiet, stateless, Wire } from './wire.ts';
import type { Revision } from '../../src/revisions/revision.ts';

const info = { name: 'async', version: '1.0' };
const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: '?' } }];
const everything = { roots: {}, sampling: {}, elicitation: {} };

async function client(server: McpServer | Server, name: string, revision: Revision): Promise<Wire> {
  const wire = await Wire.open(server, everything);
  wire.onrequest = async ({ method }) => {
    await quiet();
    if (method === 'roots/list') return { roots: [{ uri: `file:///${name}` }] };
    if (method === 'sampling/createMessage')
      return { role: 'assistant', content: { type: 'text', text: name }, model: name };
    if (method === 'elicitation/create') return { action: 'accept', content: { name } };
    return {};
  };
  wire.client = { name, version: '1' };
  await wire.handshake(revision);
  await quiet();
  return wire;
}

/** A tool that speaks only through the server object, before and after it has waited. */
function old(options: McpServerOptions = {}): McpServer {
  const mcp = new McpServer(info, { capabilities: { logging: {} }, ...options });
  mcp.registerTool('ask', {}, async (ctx) => {
    const { server } = mcp;
    const before = server.getClientVersion()?.name;
    await quiet();
    const { model } = await server.createMessage({ messages, maxTokens: 1 });
    const { roots } = await server.listRoots();
    const elicits = ctx.revision.methods.has('elicitation/create');
    const answer = elicits
      ? await server.elicitInput({ message: '?', requestedSchema: { type: 'object', properties: {} } })
      : { content: { name: model } };
    await server.sendLoggingMessage({ level: 'info', data: `log of ${before}` });
    await mcp.sendLoggingMessage({ level: 'info', data: `log of ${before}` });
    await server.notification({ method: 'com.example/mine', params: { of: before } });
    const after = server.getClientVersion()?.name;
    return text(
      JSON.stringify([
        before,
        model,
        roots[0]?.uri,
        answer.content?.['name'],
        after,
        server.getClientCapabilities(),
        server.getFamily(),
      ]),
    );
  });
  return mcp;
}

describe.each(everyHandshake)('inside handlers in %s', (_id, revision) => {
  test('calls on the server object mean the request being handled, also for several clients at once', async () => {
    const server = old();
    const names = ['ann', 'bob', 'eve'];
    const wires = await Promise.all(names.map((name) => client(server, name, revision)));
    for (const wire of wires) wire.start('tools/call', { name: 'ask' }, revision, { id: 501 });
    for (const [index, wire] of wires.entries()) {
      const name = names[index];
      expect((await wire.answer(501)).result.content[0].text).toBe(
        JSON.stringify([name, name, `file:///${name}`, name, name, everything, 'handshake']),
      );
      expect(wire.notified('notifications/message').map((frame) => frame.params?.['data'])).toEqual([
        `log of ${name}`,
        `log of ${name}`,
      ]);
      expect(wire.notified('com.example/mine').map((frame) => frame.params)).toEqual([{ of: name }]);
      for (const frame of wire.asked)
        expect(['sampling/createMessage', 'roots/list', 'elicitation/create']).toContain(frame.method);
    }
  });

  test('what is asked inside a handler travels with its request', async () => {
    const server = old();
    const wire = await client(server, 'ann', revision);
    const related: unknown[] = [];
    const send = wire.serverTransport.send.bind(wire.serverTransport);
    wire.serverTransport.send = (message, options) => {
      if ('method' in message) related.push(options?.relatedRequestId);
      send(message, options);
    };
    wire.start('tools/call', { name: 'ask' }, revision, { id: 'mine' });
    await wire.answer('mine');
    expect(new Set(related)).toEqual(new Set(['mine']));
  });

  test('a low-level server knows its request from the first call on', async () => {
    const server = new Server(info, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/call', async () => {
      await quiet();
      return { ...text((await server.listRoots()).roots[0]?.uri ?? '') };
    });
    const wires = await Promise.all(['ann', 'bob'].map((name) => client(server, name, revision)));
    for (const wire of wires) wire.start('tools/call', { name: 'x' }, revision, { id: 501 });
    expect((await wires[0]!.answer(501)).result.content[0].text).toBe('file:///ann');
    expect((await wires[1]!.answer(501)).result.content[0].text).toBe('file:///bob');
  });

  test("a notification's handler and oninitialized mean the connection they are for", async () => {
    const server = new Server(info);
    const seen: unknown[] = [];
    server.oninitialized = async () => {
      const name = server.getClientVersion()?.name;
      seen.push(['ready', name, (await server.listRoots()).roots[0]?.uri]);
    };
    server.setNotificationHandler('notifications/roots/list_changed', async () => {
      await quiet();
      seen.push(['changed', server.getClientVersion()?.name, (await server.listRoots()).roots[0]?.uri]);
    });
    const ann = await client(server, 'ann', revision);
    const bob = await client(server, 'bob', revision);
    ann.notify('notifications/roots/list_changed');
    bob.notify('notifications/roots/list_changed');
    for (let turn = 0; turn < 5; turn += 1) await quiet();
    expect(seen.map(String).sort()).toEqual([
      'changed,ann,file:///ann',
      'changed,bob,file:///bob',
      'ready,ann,file:///ann',
      'ready,bob,file:///bob',
    ]);
  });
});

test('the first use of `server` inside a handler holds for the rest of that handler, and for no one else', async () => {
  const mcp = new McpServer(info);
  mcp.registerTool('ask', {}, async () => {
    const { server } = mcp;
    await quiet();
    return text((await server.listRoots()).roots[0]?.uri ?? '');
  });
  const wires = await Promise.all(['ann', 'bob'].map((name) => client(mcp, name, newestHandshake)));
  for (const wire of wires) wire.start('tools/call', { name: 'ask' }, newestHandshake, { id: 501 });
  expect((await wires[0]!.answer(501)).result.content[0].text).toBe('file:///ann');
  expect((await wires[1]!.answer(501)).result.content[0].text).toBe('file:///bob');
  expect(() => mcp.server.getClientVersion()).toThrow('2 connections');
});

test('whoever delivers a message is not in the scope of the handler it started', async () => {
  const mcp = new McpServer(info);
  const inside: unknown[] = [];
  mcp.registerTool('ask', {}, () => {
    inside.push(mcp.server.getClientVersion()?.name);
    return new Promise(() => {});
  });
  const wires = await Promise.all(['ann', 'bob'].map((name) => client(mcp, name, newestHandshake)));
  for (const wire of wires) {
    wire.serverTransport.onmessage?.({ jsonrpc: '2.0', id: 501, method: 'tools/call', params: { name: 'ask' } });
    expect(() => mcp.server.getClientVersion()).toThrow('2 connections');
  }
  expect(inside).toEqual(['ann', 'bob']);
  await mcp.close();
});

describe('outside handlers', () => {
  test('calls mean the only connection', async () => {
    const mcp = old();
    expect(mcp.server.getClientVersion()).toBeUndefined();
    await expect(mcp.server.listRoots()).rejects.toThrow('not connected');
    await client(mcp, 'ann', newestHandshake);
    expect(mcp.server.getClientVersion()?.name).toBe('ann');
    expect(mcp.server.getClientCapabilities()).toEqual(everything);
    expect((await mcp.server.createMessage({ messages, maxTokens: 1 })).model).toBe('ann');
    expect((await mcp.server.listRoots()).roots).toEqual([{ uri: 'file:///ann' }]);
    expect(
      await mcp.server.elicitInput({ message: '?', requestedSchema: { type: 'object', properties: {} } }),
    ).toMatchObject({ action: 'accept' });
    expect(await mcp.server.ping()).toEqual({});
  });

  test('with several connections they are a clear error, and notifications go to all', async () => {
    const mcp = old();
    const wires = await Promise.all(['ann', 'bob'].map((name) => client(mcp, name, newestHandshake)));
    const { server } = mcp;
    for (const call of [
      () => server.listRoots(),
      () => server.ping(),
      () => server.createMessage({ messages, maxTokens: 1 }),
      () => server.elicitInput({ message: '?', requestedSchema: {} }),
    ]) {
      await expect(call()).rejects.toThrow('2 connections');
    }
    for (const call of [
      () => server.getClientCapabilities(),
      () => server.getClientVersion(),
      () => server.getFamily(),
    ])
      expect(call).toThrow('2 connections');
    expect(server.transport).toBeUndefined();
    await server.notification({ method: 'com.example/all' });
    await server.sendLoggingMessage({ level: 'info', data: 'all' });
    await quiet();
    for (const wire of wires) {
      expect(wire.notified('com.example/all')).toHaveLength(1);
      expect(wire.notified('notifications/message')).toHaveLength(1);
    }
    await wires[0]!.close();
    expect(server.getClientVersion()?.name).toBe('bob');
  });

  test('what a handler leaves running is outside of it', async () => {
    const mcp = new McpServer(info, { capabilities: { logging: {} } });
    const later = gate();
    const outcomes: unknown[] = [];
    mcp.registerTool('leave', {}, (ctx) => {
      void later.promise.then(async () => {
        outcomes.push(await mcp.server.listRoots().catch((error: Error) => error.message));
        outcomes.push(await ctx.listRoots().catch((error: Error) => error.message));
        await mcp.server.sendLoggingMessage({ level: 'info', data: 'to all' });
      });
      return text('left');
    });
    const wires = await Promise.all(['ann', 'bob'].map((name) => client(mcp, name, newestHandshake)));
    await wires[0]!.call('leave', {}, newestHandshake);
    later.open();
    await quiet();
    await quiet();
    expect(outcomes).toEqual([expect.stringContaining('2 connections'), expect.stringContaining('is over')]);
    for (const wire of wires) expect(wire.notified('notifications/message')).toHaveLength(1);
  });
});

test('a handler in a cancelled request cannot ask through the server object either', async () => {
  const mcp = new McpServer(info);
  const go = gate();
  const outcome = gate<unknown>();
  mcp.server.trackRequests();
  mcp.registerTool('slow', {}, async () => {
    await go.promise;
    outcome.open(await mcp.server.listRoots().catch((error: unknown) => error));
    return text('');
  });
  const wire = await client(mcp, 'ann', newestHandshake);
  wire.start('tools/call', { name: 'slow' }, newestHandshake, { id: 501 });
  await quiet();
  wire.notify('notifications/cancelled', { requestId: 501 });
  await quiet();
  go.open();
  expect(await outcome.promise).toMatchObject({ code: 'aborted' });
  expect(wire.asked).toEqual([]);
});

test('a stateless request is known by its own facts, and asking through the server object is refused', async () => {
  const mcp = new McpServer(info, { trackRequests: true });
  mcp.registerTool('who', {}, async () => {
    await quiet();
    const refused = await mcp.server.request({ method: 'ping' }).catch((error: Error) => error.message);
    return text(JSON.stringify([mcp.server.getClientVersion()?.name, mcp.server.getFamily(), refused]));
  });
  const wires = [await Wire.open(mcp), await Wire.open(mcp)];
  const [one] = await Promise.all(
    wires.map((wire, index) => wire.call('who', {}, stateless, { client: { name: `c${index}`, version: '1' } })),
  );
  expect(one.content[0].text).toMatch(/^\["c0","per-request","ping: this client has no session/);
});

test('where tracking is switched off only the synchronous part of a handler is known', async () => {
  const mcp = new McpServer(info, { trackRequests: false });
  mcp.registerTool('who', {}, async () => {
    const before = mcp.server.getClientVersion()?.name;
    await quiet();
    let after = 'nothing thrown';
    try {
      mcp.server.getClientVersion();
    } catch (error) {
      after = (error as Error).message;
    }
    return text(`${before}, ${after}`);
  });
  const wires = await Promise.all(['ann', 'bob'].map((name) => client(mcp, name, newestHandshake)));
  expect((await wires[0]!.call('who', {}, newestHandshake)).content[0].text).toMatch(
    /^ann, The server has 2 connections/,
  );
});
