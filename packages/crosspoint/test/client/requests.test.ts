import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { revisions } from '../../src/revisions/index.ts';
import { META_CLIENT_CAPABILITIES, META_LOG_LEVEL, META_PROTOCOL_VERSION } from '../../src/protocol/meta.ts';
import { proves } from '../requirements/proves.ts';
import { connected, failure } from './connected.ts';
import { legacy, MODERN, modern, Refusal, type Behaviour, type Wire } from './fake-server.ts';

const FAMILIES: [string, (answers?: Parameters<typeof modern>[0]) => Behaviour][] = [
  ['per-request', modern],
  ['handshake', legacy],
];

describe.each(FAMILIES)('requests in the %s family', (_family, server) => {
  proves('M-BASE-003, M-BASE-005, L-MESSAGES-005, L-PROGRESS-001, L-PROGRESS-002, M-PROG-001, M-PROG-002').test(
    'ids and progress tokens are integers and never used twice, finished or not',
    async () => {
      const { client, transport, clock } = await connected(
        server({ 'tools/call': (params) => (params['name'] === 'slow' ? undefined : { content: [] }) }),
        { timeouts: { idleMs: 10 } },
      );
      const controller = new AbortController();
      const slow = [
        failure(client.callTool({ name: 'slow' })),
        failure(client.callTool({ name: 'slow' }, { signal: controller.signal })),
      ];
      for (let i = 0; i < 500; i += 1) await client.callTool({ name: 'fast' });
      await Promise.all(Array.from({ length: 500 }, () => client.callTool({ name: 'fast' })));
      controller.abort();
      await clock.advance(10);
      await Promise.all(slow);
      await client.callTool({ name: 'fast' });
      const requests = transport.sent.filter(({ id }) => id !== undefined);
      const ids = requests.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.every((id) => Number.isInteger(id))).toBe(true);
      const calls = transport.sentTo('tools/call');
      expect(calls.every(({ id, params }) => params?._meta?.['progressToken'] === id)).toBe(true);
    },
  );

  proves('L-STDIO-006').test('everything the client writes is a message', async () => {
    const { client, transport } = await connected(server({ 'tools/list': () => ({ tools: [] }) }));
    await client.listTools();
    transport.line.garbage('npm warn deprecated');
    transport.line.send({ no: 'message' });
    await client.listTools();
    expect(transport.sent.every((message) => message.jsonrpc === '2.0' && typeof message.method === 'string')).toBe(
      true,
    );
  });

  proves('M-STDIO-009, L-CANCELLATION-013, L-CANCELLATION-014, M-CAN-001').test(
    'an abort sends exactly one cancellation, naming the request',
    async () => {
      const { client, transport, clock } = await connected(server({ 'tools/call': () => undefined }));
      const controller = new AbortController();
      const call = failure(client.callTool({ name: 'x' }, { signal: controller.signal }));
      await clock.flush();
      controller.abort();
      controller.abort();
      expect(await call).toMatchObject({ name: 'TransportError', code: 'aborted' });
      expect(transport.sentTo('notifications/cancelled')).toEqual([
        {
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: transport.sentTo('tools/call')[0]?.id, reason: expect.any(String) },
        },
      ]);
    },
  );

  proves('L-CANCELLATION-001, M-CAN-009').test('an abort after the answer sends nothing', async () => {
    const { client, transport, clock } = await connected(server({ 'tools/call': () => ({ content: [] }) }));
    const controller = new AbortController();
    await client.callTool({ name: 'x' }, { signal: controller.signal });
    controller.abort();
    await clock.flush();
    expect(transport.sentTo('notifications/cancelled')).toEqual([]);
    await expect(client.callTool({ name: 'x' }, { signal: controller.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
    expect(transport.sentTo('tools/call').length).toBe(1);
  });

  proves('L-CANCELLATION-009, M-CAN-014, L-CANCELLATION-008, M-CAN-013').test(
    'cancellation and answer may cross in any order',
    async () => {
      for (let turns = 0; turns < 12; turns += 1) {
        const { client, clock, problems } = await connected(server({ 'tools/call': () => ({ content: [] }) }));
        const controller = new AbortController();
        const call = client.callTool({ name: 'x' }, { signal: controller.signal }).then(
          () => 'answered',
          () => 'aborted',
        );
        for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
        controller.abort();
        expect(['answered', 'aborted']).toContain(await call);
        await clock.flush();
        expect(problems).toEqual([]);
        expect(await client.ping()).toEqual(expect.any(Object));
      }
    },
  );

  proves('L-LIFECYCLE-024, L-LIFECYCLE-025, L-LIFECYCLE-027, L-TOOLS-047, M-CAN-005, M-CAN-006').test(
    'progress keeps a request alive without a callback; silence ends it and says which timer fired',
    async () => {
      const { client, transport, clock } = await connected(server({ 'tools/call': () => undefined }), {
        timeouts: { idleMs: 1000 },
      });
      const call = failure(client.callTool({ name: 'x' }));
      for (let i = 1; i <= 5; i += 1) {
        await clock.advance(900);
        transport.line.notify('notifications/progress', {
          progressToken: transport.sentTo('tools/call')[0]?.id,
          progress: i,
        });
      }
      await clock.advance(999);
      expect(transport.sentTo('notifications/cancelled')).toEqual([]);
      await clock.advance(1);
      expect(await call).toMatchObject({ code: 'idle-timeout', details: { timer: 'idle', elapsedMs: 5500 } });
      expect(transport.sentTo('notifications/cancelled').length).toBe(1);
    },
  );

  proves('L-LIFECYCLE-026, L-LIFECYCLE-028, M-CAN-007, M-CAN-008').test(
    'the names of the options are those of the official SDK',
    async () => {
      const { client, transport, clock } = await connected(server({ 'tools/call': () => undefined }));
      const seen: unknown[] = [];
      const idle = failure(
        client.callTool({ name: 'a' }, undefined, { timeout: 100, onprogress: (progress) => seen.push(progress) }),
      );
      const fixed = failure(client.callTool({ name: 'b' }, undefined, { timeout: 100, resetTimeoutOnProgress: false }));
      const total = failure(client.callTool({ name: 'c' }, undefined, { timeout: 100, maxTotalTimeout: 150 }));
      await clock.advance(90);
      for (const { id } of transport.sentTo('tools/call'))
        transport.line.notify('notifications/progress', { progressToken: id, progress: 1, total: 2, message: 'half' });
      await clock.advance(10);
      expect(await fixed).toMatchObject({ code: 'total-timeout' });
      await clock.advance(50);
      expect(await total).toMatchObject({ code: 'total-timeout' });
      await clock.advance(40);
      expect(await idle).toMatchObject({ code: 'idle-timeout' });
      expect(seen).toEqual([{ progress: 1, total: 2, message: 'half' }]);
    },
  );

  test('a progress callback that throws is a problem and nothing more', async () => {
    const answer = (
      line: { notify(method: string, params: object): void; reply(request: Wire, result: object): void },
      message: Wire,
    ): undefined => {
      line.notify('notifications/progress', { progressToken: message.id, progress: 1 });
      line.reply(message, { content: [] });
    };
    const { client, problems } = await connected(
      server({ 'tools/call': (_params, line, message) => answer(line as never, message) }),
    );
    const boom = (): void => {
      throw new Error('boom');
    };
    await client.callTool({ name: 'x' }, { onprogress: boom });
    expect(problems.map(({ message }) => message)).toEqual(['boom']);
  });

  test('an error of the server is a ProtocolError with its number and data', async () => {
    const { client } = await connected(
      server({ 'tools/call': () => new Refusal(-32602, 'Unknown tool: x', { name: 'x' }) }),
    );
    await expect(client.callTool({ name: 'x' })).rejects.toMatchObject({
      name: 'ProtocolError',
      code: -32602,
      kind: 'invalid-params',
      data: { name: 'x' },
    });
  });

  test('an answer that is no message fails its request at once', async () => {
    const { client } = await connected(
      server({ 'tools/call': (_params, line, { id }) => line.send({ jsonrpc: '2.0', id, result: 'text' }) }),
    );
    await expect(client.callTool({ name: 'x' })).rejects.toMatchObject({ code: 'invalid-result' });
  });

  test('result schemas of the official SDK and of zod are accepted where it takes them', async () => {
    const { client } = await connected(
      server({
        'tools/call': () => ({ content: [{ type: 'text', text: 'hi' }] }),
        'acme/hello': () => ({ hello: 'world' }),
      }),
    );
    const result = await client.callTool({ name: 'x' }, CallToolResultSchema);
    expect(result.content[0]).toMatchObject({ text: 'hi' });
    expect(await client.request({ method: 'acme/hello' }, z.object({ hello: z.string() }))).toEqual({ hello: 'world' });
    expect(await client.request({ method: 'acme/hello', params: {} })).toMatchObject({ hello: 'world' });
    await expect(client.request({ method: 'acme/hello' }, z.object({ hello: z.number() }))).rejects.toMatchObject({
      code: 'invalid-result',
      details: { result: { hello: 'world' } },
    });
  });

  proves('M-PRM-012').test('prompt arguments are strings', async () => {
    const { client, transport } = await connected(server({ 'prompts/get': () => ({ messages: [] }) }));
    await expect(client.getPrompt({ name: 'p', arguments: { n: 1 as never } })).rejects.toThrow(TypeError);
    expect(transport.sentTo('prompts/get')).toEqual([]);
    await client.getPrompt({ name: 'p', arguments: { n: '1' } });
    expect(transport.sentTo('prompts/get')[0]?.params).toMatchObject({ name: 'p', arguments: { n: '1' } });
  });

  proves('L-PROMPTS-014, M-PRM-010').test(
    'what the server has not declared: lists are empty without a request, and strict clients refuse',
    async () => {
      const bare = server === modern ? modern({}, { capabilities: {} }) : legacy({}, { capabilities: {} });
      const lenient = await connected(bare);
      expect(await lenient.client.listTools()).toEqual({ tools: [] });
      expect(await lenient.client.listPrompts()).toEqual({ prompts: [] });
      expect(await lenient.client.listResources()).toEqual({ resources: [] });
      expect(await lenient.client.listResourceTemplates()).toEqual({ resourceTemplates: [] });
      expect(lenient.transport.methods).not.toContain('tools/list');
      await expect(lenient.client.callTool({ name: 'x' })).rejects.toMatchObject({ code: -32601 });
      expect(lenient.transport.methods).toContain('tools/call');
      const strict = await connected(bare, { enforceStrictCapabilities: true });
      await expect(strict.client.listTools()).rejects.toMatchObject({
        kind: 'method-not-found',
        message: expect.stringContaining('"tools"'),
      });
      await expect(strict.client.callTool({ name: 'x' })).rejects.toMatchObject({ kind: 'method-not-found' });
      expect(strict.transport.methods).not.toContain('tools/call');
    },
  );

  proves('L-LIFECYCLE-029').test('close ends what waits, tells once, and leaves no timer', async () => {
    const { client, transport, clock } = await connected(server({ 'tools/call': () => undefined }));
    let closed = 0;
    client.onclose = () => (closed += 1);
    const call = failure(client.callTool({ name: 'x' }));
    await clock.flush();
    const written = transport.sent.length;
    await client.close();
    expect(transport.sent.length).toBe(written);
    expect(await call).toMatchObject({ code: 'closed' });
    expect(closed).toBe(1);
    expect(transport.isOpen).toBe(false);
    expect(clock.pending).toBe(0);
    expect(client.getServerCapabilities()).toBeUndefined();
    await expect(client.ping()).rejects.toMatchObject({ code: 'closed' });
    await client.close();
    expect(closed).toBe(1);
  });

  test('callbacks that the program had put on the transport go on being called', async () => {
    const { client, transport } = await connected(server());
    await client.close();
    const seen: string[] = [];
    transport.onmessage = () => seen.push('message');
    transport.onclose = () => seen.push('close');
    await client.connect(transport);
    await client.close();
    expect(seen[0]).toBe('message');
    expect(seen.at(-1)).toBe('close');
    expect(seen.filter((event) => event === 'close').length).toBe(1);
  });
});

describe('the per-request family alone', () => {
  proves('M-BASE-019, M-ROOT-001, M-SAMP-001, M-ELI-001').test(
    'every request carries version and capabilities, retries and listens included',
    async () => {
      let round = 0;
      const answers = {
        'tools/call': () =>
          round++ === 0
            ? { resultType: 'input_required', inputRequests: { q: { method: 'roots/list' } } }
            : { resultType: 'complete', content: [] },
        'tools/list': () => ({ resultType: 'complete', tools: [] }),
        'subscriptions/listen': () => undefined,
      };
      const { client, transport, clock } = await connected(modern(answers), {
        capabilities: { roots: {}, sampling: {}, elicitation: {} },
      });
      client.setRequestHandler('roots/list', () => ({ roots: [] }));
      await client.callTool({ name: 'x' });
      await client.listTools();
      await client.ping();
      const listening = failure(client.listen({ toolsListChanged: true }));
      await clock.flush();
      expect(transport.methods).toEqual([
        'server/discover',
        'tools/call',
        'tools/call',
        'tools/list',
        'server/discover',
        'subscriptions/listen',
      ]);
      for (const { params } of transport.sent)
        expect(params?._meta).toMatchObject({
          [META_PROTOCOL_VERSION]: MODERN.id,
          [META_CLIENT_CAPABILITIES]: { roots: {}, sampling: {}, elicitation: {} },
        });
      await client.close();
      await listening;
    },
  );

  proves('M-BASE-009').test('a result type nobody knows is an invalid result', async () => {
    const { client } = await connected(modern({ 'tools/call': () => ({ resultType: 'bogus' }) }));
    await expect(client.callTool({ name: 'x' })).rejects.toMatchObject({
      name: 'TransportError',
      code: 'invalid-result',
    });
  });

  proves('M-BASE-010').test('a result without a type is complete', async () => {
    const { client } = await connected(modern({ 'tools/call': () => ({ content: [] }) }));
    expect(await client.callTool({ name: 'x' })).toEqual({ content: [] });
  });

  proves('M-BASE-011').test('a task is invalid where the request declared no such extension', async () => {
    const { client } = await connected(modern({ 'tools/call': () => ({ resultType: 'task', taskId: 't' }) }));
    await expect(client.callTool({ name: 'x' })).rejects.toMatchObject({ code: 'invalid-result' });
  });

  test('the log level is stamped on later requests, and only once it is set', async () => {
    const { client, transport } = await connected(modern({ 'tools/call': () => ({ content: [] }) }));
    await client.callTool({ name: 'x' });
    await client.setLoggingLevel('warning');
    await client.callTool({ name: 'x' });
    expect(transport.sentTo('tools/call').map(({ params }) => params?._meta?.[META_LOG_LEVEL])).toEqual([
      undefined,
      'warning',
    ]);
    expect(transport.methods).not.toContain('logging/setLevel');
    await expect(client.setLoggingLevel('loud' as never)).rejects.toThrow(TypeError);
  });

  test('what the revision has no word for is refused on this side, and its notifications are not sent', async () => {
    const { client, transport } = await connected(modern(), { capabilities: { roots: { listChanged: true } } });
    await expect(client.request({ method: 'resources/subscribe', params: { uri: 'a:b' } })).rejects.toMatchObject({
      kind: 'method-not-found',
    });
    await client.sendRootsListChanged();
    expect(transport.methods).toEqual(['server/discover']);
  });
});

describe('the handshake family alone', () => {
  proves('L-MESSAGES-017').test(
    'where the revision has batches, answers, requests and notifications may come together',
    async () => {
      const batching = revisions.find(({ batches }) => batches)!;
      const held: Wire[] = [];
      const script = legacy(
        { 'tools/call': (_params, _line, message) => void held.push(message) },
        { versions: [batching.id] },
      );
      const { client, transport, clock, problems } = await connected(script, { capabilities: { roots: {} } });
      const seen: string[] = [];
      client.setRequestHandler('roots/list', () => ({ roots: [] }));
      client.setNotificationHandler('acme/news', ({ method }) => void seen.push(method));
      const calls = Promise.all([client.callTool({ name: 'a' }), client.callTool({ name: 'b' })]);
      await clock.flush();
      const results = held.toReversed().map(({ id }) => ({ jsonrpc: '2.0', id, result: { content: [] } }));
      transport.line.send([
        ...results,
        { jsonrpc: '2.0', id: 'r', method: 'roots/list' },
        { jsonrpc: '2.0', method: 'acme/news' },
      ]);
      expect(await calls).toEqual([{ content: [] }, { content: [] }]);
      await clock.flush();
      expect(seen).toEqual(['acme/news']);
      expect(transport.sent.at(-1)).toEqual([{ jsonrpc: '2.0', id: 'r', result: { roots: [] } }]);
      expect(problems).toEqual([]);
    },
  );

  proves('L-MESSAGES-009').test(
    'an error without an id is a problem, and no request is taken for its own',
    async () => {
      const { client, transport, clock, problems } = await connected(legacy());
      transport.line.send({ jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' } });
      transport.line.send({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid' } });
      await clock.flush();
      expect(problems).toMatchObject([{ code: -32700 }, { code: -32600 }]);
      await client.ping();
    },
  );

  proves('L-PING-001, L-LOGGING-003').test('ping, log level and roots use their own messages', async () => {
    const { client, transport } = await connected(legacy({ 'logging/setLevel': () => ({}) }), {
      revisions: 'handshake',
      capabilities: { roots: { listChanged: true } },
      debouncedNotificationMethods: ['notifications/roots/list_changed'],
    });
    expect(await client.ping()).toEqual({});
    await client.setLoggingLevel('error');
    await Promise.all([client.sendRootsListChanged(), client.sendRootsListChanged(), client.sendRootsListChanged()]);
    expect(transport.methods).toEqual([
      'initialize',
      'notifications/initialized',
      'ping',
      'logging/setLevel',
      'notifications/roots/list_changed',
    ]);
    expect(transport.sentTo('logging/setLevel')[0]?.params).toMatchObject({ level: 'error' });
    await expect(client.discover()).rejects.toMatchObject({ kind: 'method-not-found' });
    await expect(client.listen({ toolsListChanged: true })).rejects.toMatchObject({ kind: 'method-not-found' });
  });

  proves('L-LIFECYCLE-017').test('a notification whose capability was not declared is not sent', async () => {
    const { client } = await connected(legacy());
    await expect(client.sendRootsListChanged()).rejects.toThrow(TypeError);
  });

  test('a server that dies: what waits is told why', async () => {
    const { client, transport, clock } = await connected(
      legacy({ 'tools/call': () => undefined }),
      {},
      { restartable: true },
    );
    let closed = 0;
    client.onclose = () => (closed += 1);
    const call = failure(client.callTool({ name: 'x' }));
    await clock.flush();
    transport.line.exit('exited with code 3: panic at the disco');
    const error = await call;
    expect(error).toMatchObject({ code: 'closed', cause: transport.lastFailure });
    expect(error.message).toContain('panic at the disco');
    expect(closed).toBe(1);
    expect(transport.runs.length).toBe(1);
    await expect(client.ping()).rejects.toMatchObject({ code: 'closed' });
  });
});

test('a call of the handshake family is not silent while a person thinks about a question of the server', async () => {
  const { client, transport, clock } = await connected(legacy({ 'tools/call': () => undefined }), {
    timeouts: { idleMs: 1000 },
    capabilities: { elicitation: {} },
  });
  let decide = (_answer: { action: 'decline' }): void => {};
  client.setRequestHandler('elicitation/create', () => new Promise((resolve) => (decide = resolve)));
  const call = client.callTool({ name: 'x' });
  await clock.flush();
  transport.line.send({
    jsonrpc: '2.0',
    id: 'q',
    method: 'elicitation/create',
    params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
  });
  await clock.advance(10_000);
  decide({ action: 'decline' });
  await clock.flush();
  transport.line.send({ jsonrpc: '2.0', id: transport.sentTo('tools/call')[0]?.id, result: { content: [] } });
  expect(await call).toMatchObject({ content: [] });
});
