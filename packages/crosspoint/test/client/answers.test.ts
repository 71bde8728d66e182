import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as z3 from 'zod/v3';
import {
  CreateMessageRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Client, getSupportedElicitationModes, InputRequiredError, ProtocolError } from '../../src/client/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { revisions } from '../../src/revisions/index.ts';
import { proves } from '../requirements/proves.ts';
import { connected, failure, prepared } from './connected.ts';
import { legacy, modern, Refusal, type Wire } from './fake-server.ts';

const ALL_ASKS = { elicitation: {}, sampling: {}, roots: {} };
const responses = (sent: Wire[]): Wire[] => sent.filter(({ method }) => method === undefined);

describe('live requests in the handshake family', () => {
  test('are answered by handlers; unknown methods with -32601, failures without details, ProtocolErrors as they are', async () => {
    const { client, transport, clock, problems } = await connected(legacy(), { capabilities: ALL_ASKS });
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///a' }] }));
    client.setRequestHandler('sampling/createMessage', () => {
      throw new Error('password: hunter2');
    });
    client.setRequestHandler('elicitation/create', () => {
      throw new ProtocolError(-1, 'The user said no.', { why: 'tired' });
    });
    transport.line.send({ jsonrpc: '2.0', id: 'r1', method: 'roots/list' });
    transport.line.send({
      jsonrpc: '2.0',
      id: 'r2',
      method: 'sampling/createMessage',
      params: { messages: [], maxTokens: 1 },
    });
    transport.line.send({
      jsonrpc: '2.0',
      id: 'r3',
      method: 'elicitation/create',
      params: { message: 'm', requestedSchema: {} },
    });
    transport.line.send({ jsonrpc: '2.0', id: 'r4', method: 'acme/unknown' });
    await clock.flush();
    expect(responses(transport.sent)).toMatchObject(
      [
        { id: 'r1', result: { roots: [{ uri: 'file:///a' }] } },
        { id: 'r2', error: { code: -32603, message: 'Internal error' } },
        { id: 'r3', error: { code: -1, message: 'The user said no.', data: { why: 'tired' } } },
        { id: 'r4', error: { code: -32601 } },
      ].toSorted(
        (a, b) =>
          responses(transport.sent).findIndex(({ id }) => id === a.id) -
          responses(transport.sent).findIndex(({ id }) => id === b.id),
      ),
    );
    expect(JSON.stringify(transport.sent)).not.toContain('hunter2');
    expect(problems.map(({ message }) => message)).toEqual(['password: hunter2']);
  });

  proves('L-PING-001, L-PING-002').test(
    'ping is answered with an empty result, before initialize is answered and while a handler is busy',
    async () => {
      const held: (() => void)[] = [];
      const script = legacy();
      const { client, transport, clock } = prepared(
        (message, line) =>
          void (message.method === 'initialize' ? held.push(() => script(message, line)) : script(message, line)),
        {
          revisions: 'handshake',
          capabilities: ALL_ASKS,
        },
      );
      const connecting = client.connect(transport);
      await clock.flush();
      transport.line.send({ jsonrpc: '2.0', id: 'early', method: 'ping' });
      await clock.flush();
      expect(responses(transport.sent)).toEqual([{ jsonrpc: '2.0', id: 'early', result: {} }]);
      held[0]?.();
      await connecting;
      client.setRequestHandler('roots/list', () => new Promise(() => {}));
      transport.line.send({ jsonrpc: '2.0', id: 'busy', method: 'roots/list' });
      transport.line.send({ jsonrpc: '2.0', id: 'late', method: 'ping' });
      await clock.flush();
      expect(responses(transport.sent).at(-1)).toEqual({ jsonrpc: '2.0', id: 'late', result: {} });
    },
  );

  proves('L-ROOTS-005').test('without roots, roots/list is -32601; with a handler that fails, -32603', async () => {
    const ask = async (given: Awaited<ReturnType<typeof connected>>): Promise<unknown> => {
      given.transport.line.send({ jsonrpc: '2.0', id: 'roots', method: 'roots/list' });
      await given.clock.flush();
      return given.transport.sent.find(({ id }) => id === 'roots');
    };
    expect(await ask(await connected(legacy()))).toMatchObject({ error: { code: -32601 } });
    const failing = await connected(legacy(), { capabilities: { roots: {} } });
    failing.client.setRequestHandler('roots/list', () => Promise.reject(new Error('the disk is gone')));
    expect(await ask(failing)).toMatchObject({ error: { code: -32603, message: 'Internal error' } });
  });

  proves('L-LIFECYCLE-017').test(
    'both sides of a capability: no handler without it, and no answer but -32601',
    async () => {
      const bare = new Client({ name: 'c', version: '1' });
      for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list'])
        expect(() => bare.setRequestHandler(method, () => ({}))).toThrow(TypeError);
      bare.registerCapabilities({ roots: {} });
      bare.setRequestHandler('roots/list', () => ({ roots: [] }));
      const { client, transport, clock } = await connected(legacy());
      client.fallbackRequestHandler = () => ({ role: 'assistant' });
      transport.line.send({
        jsonrpc: '2.0',
        id: 1,
        method: 'sampling/createMessage',
        params: { messages: [], maxTokens: 1 },
      });
      await clock.flush();
      expect(responses(transport.sent)).toMatchObject([{ id: 1, error: { code: -32601 } }]);
      expect(() => client.registerCapabilities({ roots: {} })).toThrow(TypeError);
    },
  );

  test('a question that the negotiated revision does not have is unknown, whatever the handlers', async () => {
    const oldest = revisions.at(-1)!;
    const { client, transport, clock } = await connected(legacy({}, { versions: [oldest.id] }), {
      capabilities: ALL_ASKS,
    });
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept' }));
    transport.line.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'elicitation/create',
      params: { message: 'm', requestedSchema: {} },
    });
    await clock.flush();
    expect(responses(transport.sent)).toMatchObject([{ id: 1, error: { code: -32601 } }]);
  });

  proves('L-ELICITATION-004, L-ELICITATION-007').test(
    'an elicitation mode that was not declared is refused with -32602; no mode means form',
    async () => {
      const { client, transport, clock } = await connected(legacy(), { capabilities: { elicitation: {} } });
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept' }));
      transport.line.send({
        jsonrpc: '2.0',
        id: 1,
        method: 'elicitation/create',
        params: { mode: 'url', message: 'm', url: 'https://x', elicitationId: 'e' },
      });
      transport.line.send({
        jsonrpc: '2.0',
        id: 2,
        method: 'elicitation/create',
        params: { message: 'm', requestedSchema: { type: 'object', properties: {} } },
      });
      await clock.flush();
      expect(responses(transport.sent)).toMatchObject([
        { id: 1, error: { code: -32602 } },
        { id: 2, result: { action: 'accept' } },
      ]);
      expect(getSupportedElicitationModes({})).toEqual({ supportsFormMode: true, supportsUrlMode: false });
      expect(getSupportedElicitationModes({ url: {} })).toEqual({ supportsFormMode: false, supportsUrlMode: true });
      expect(getSupportedElicitationModes(undefined)).toEqual({ supportsFormMode: false, supportsUrlMode: false });
    },
  );

  proves('L-SAMPLING-028').test(
    'tools in a sampling request are refused where they were not declared, and passed on where they were',
    async () => {
      for (const [sampling, answer] of [
        [{}, { error: { code: -32602 } }],
        [{ tools: {} }, { result: { model: 'm' } }],
      ] as const) {
        const { client, transport, clock } = await connected(legacy(), { capabilities: { sampling } });
        client.setRequestHandler('sampling/createMessage', () => ({
          role: 'assistant',
          model: 'm',
          content: { type: 'text', text: '' },
        }));
        transport.line.send({
          jsonrpc: '2.0',
          id: 1,
          method: 'sampling/createMessage',
          params: { messages: [], maxTokens: 1, tools: [] },
        });
        transport.line.send({
          jsonrpc: '2.0',
          id: 2,
          method: 'sampling/createMessage',
          params: { messages: [], maxTokens: 1, toolChoice: { mode: 'auto' } },
        });
        await clock.flush();
        expect(responses(transport.sent)).toMatchObject([answer, answer]);
      }
    },
  );

  proves('L-PROGRESS-003, L-PROGRESS-006, L-PROGRESS-008').test(
    'progress of a handler grows, goes only to who asked for it, and ends with the answer',
    async () => {
      const { client, transport, clock } = await connected(legacy(), { capabilities: ALL_ASKS });
      let late: (() => void) | undefined;
      client.setRequestHandler('roots/list', (_request, extra) => {
        for (const progress of [1, 1, 0.5, 2, Number.NaN]) extra.reportProgress({ progress });
        late = () => extra.reportProgress({ progress: 3 });
        return { roots: [] };
      });
      transport.line.send({ jsonrpc: '2.0', id: 1, method: 'roots/list', params: { _meta: { progressToken: 0 } } });
      await clock.flush();
      late?.();
      transport.line.send({ jsonrpc: '2.0', id: 2, method: 'roots/list' });
      await clock.flush();
      expect(transport.sentTo('notifications/progress').map(({ params }) => params)).toEqual([
        { progressToken: 0, progress: 1 },
        { progressToken: 0, progress: 2 },
      ]);
    },
  );

  test('the context of a handler: signal, id, meta, progress, and requests of its own', async () => {
    const { client, transport, clock } = await connected(legacy({ 'tools/call': () => ({ content: [] }) }), {
      capabilities: ALL_ASKS,
    });
    client.setRequestHandler('sampling/createMessage', async (request, extra) => {
      expect(request.params.maxTokens).toBe(7);
      expect(extra.requestId).toBe('s1');
      expect(extra._meta).toEqual({ progressToken: 'p', note: 1 });
      extra.reportProgress({ progress: 1, total: 2 });
      await extra.sendNotification({ method: 'acme/note', params: { n: 1 } });
      await extra.sendRequest({ method: 'tools/call', params: { name: 'x' } });
      return { role: 'assistant', content: { type: 'text', text: 'ok' }, model: 'm' };
    });
    transport.line.send({
      jsonrpc: '2.0',
      id: 's1',
      method: 'sampling/createMessage',
      params: { messages: [], maxTokens: 7, _meta: { progressToken: 'p', note: 1 } },
    });
    await clock.flush();
    expect(transport.sent.slice(-4)).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2 } },
      { method: 'acme/note', params: { n: 1 } },
      { method: 'tools/call' },
      { id: 's1', result: { model: 'm' } },
    ]);
  });

  proves('L-CANCELLATION-004, L-CANCELLATION-006, L-CANCELLATION-012').test(
    'a cancelled request aborts its handler and is not answered; so does the end of the connection',
    async () => {
      const { client, transport, clock } = await connected(legacy(), { capabilities: ALL_ASKS });
      const aborted: unknown[] = [];
      client.setRequestHandler(
        'roots/list',
        (_request, extra) =>
          new Promise((_resolve, reject) => {
            extra.signal.addEventListener('abort', () => {
              aborted.push(extra.requestId);
              reject(new Error('aborted'));
            });
          }),
      );
      transport.line.send({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
      transport.line.send({ jsonrpc: '2.0', id: 2, method: 'roots/list' });
      await clock.flush();
      transport.line.notify('notifications/cancelled', { requestId: 1, reason: 'changed my mind' });
      transport.line.notify('notifications/cancelled', {});
      transport.line.notify('notifications/cancelled', { requestId: 99 });
      await clock.flush();
      expect(aborted).toEqual([1]);
      await client.close();
      await clock.flush();
      expect(aborted).toEqual([1, 2]);
      expect(responses(transport.sent)).toEqual([]);
    },
  );

  test('handlers may be registered by the message schemas of the official SDK and of zod 3 and 4', async () => {
    const { client, transport, clock } = await connected(legacy(), { capabilities: ALL_ASKS });
    const seen: unknown[] = [];
    client.setRequestHandler(CreateMessageRequestSchema, (request) => ({
      role: 'assistant',
      model: String(request.params.maxTokens),
      content: { type: 'text', text: '' },
    }));
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }));
    client.setRequestHandler(
      z.object({ method: z.literal('acme/four'), params: z.object({ n: z.number() }) }),
      ({ params }) => ({ four: params.n }),
    );
    client.setRequestHandler(
      z3.object({ method: z3.literal('acme/three'), params: z3.object({ n: z3.number() }) }),
      ({ params }) => ({ three: params.n }),
    );
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void seen.push(params.level));
    expect(() => client.assertCanSetRequestHandler('acme/four')).toThrow(TypeError);
    for (const [id, method, params] of [
      [1, 'sampling/createMessage', { messages: [], maxTokens: 3 }],
      [2, 'acme/four', { n: 4 }],
      [3, 'acme/three', { n: 3 }],
      [4, 'acme/four', { n: 'no number' }],
    ] as const)
      transport.line.send({ jsonrpc: '2.0', id, method, params });
    transport.line.notify('notifications/message', { level: 'info', data: 'x' });
    await clock.flush();
    const byId = Object.fromEntries(
      responses(transport.sent).map((message) => [message.id, message.result ?? message.error?.code]),
    );
    expect(byId).toMatchObject({ 1: { model: '3' }, 2: { four: 4 }, 3: { three: 3 }, 4: -32602 });
    expect(seen).toEqual(['info']);
    client.removeRequestHandler('acme/four');
    client.assertCanSetRequestHandler('acme/four');
  });

  test('notifications: handlers, fallback, log callback; one that throws is a problem', async () => {
    const logs: unknown[] = [];
    const seen: string[] = [];
    const { client, transport, clock, problems } = await connected(legacy(), {
      onlog: (message) => logs.push(message),
    });
    client.fallbackNotificationHandler = ({ method }) => void seen.push(method);
    client.setNotificationHandler('acme/bad', () => {
      throw new Error('bad handler');
    });
    transport.line.notify('notifications/message', { level: 'error', data: { a: 1 } });
    transport.line.notify('acme/news', { n: 1 });
    transport.line.notify('acme/bad');
    await clock.flush();
    expect(logs).toEqual([{ level: 'error', data: { a: 1 } }]);
    expect(seen).toEqual(['notifications/message', 'acme/news']);
    expect(problems.map(({ message }) => message)).toEqual(['bad handler']);
  });
});

describe('requests of the server in the per-request family', () => {
  proves('M-BASE-049, M-STDIO-006, M-IOP-035').test.each(['elicitation/create', 'ping', 'acme/unknown'])(
    '%s is dropped and reported, and nothing is written',
    async (method) => {
      const { client, transport, clock, problems } = await connected(modern(), { capabilities: ALL_ASKS });
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept' }));
      const before = transport.sent.length;
      transport.line.send({ jsonrpc: '2.0', id: 7, method, params: { message: 'm', requestedSchema: {} } });
      transport.line.send({ jsonrpc: '2.0', id: 7, method, params: { message: 'm', requestedSchema: {} } });
      transport.line.send({ jsonrpc: '2.0', id: 8, method, params: [] });
      transport.line.send({ jsonrpc: '2.0', id: null, method });
      transport.line.garbage('{{{');
      await clock.flush();
      expect(transport.sent.length).toBe(before);
      expect(problems.length).toBe(5);
    },
  );
});

describe('questions inside an answer', () => {
  const ask = {
    method: 'elicitation/create',
    params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
  };

  proves('M-ELI-011, M-MRTR-016, M-MRTR-018, M-MRTR-020, M-MRTR-021, M-MRTR-023, M-MRTR-024').test(
    'the same handlers answer; the call is repeated with a new id, the same params, the answers and the state of the last round',
    async () => {
      const rounds: JsonObject[] = [
        {
          resultType: 'input_required',
          requestState: 'st\u00e4te/1==',
          inputRequests: { a: ask, b: { method: 'roots/list' } },
        },
        { resultType: 'input_required', inputRequests: { c: { ...ask, id: 3, jsonrpc: '2.0' } } },
        { resultType: 'complete', content: [{ type: 'text', text: 'done' }] },
      ];
      const { client, transport } = await connected(modern({ 'tools/call': () => rounds.shift() }), {
        capabilities: ALL_ASKS,
      });
      client.setRequestHandler('elicitation/create', async (request) => ({
        action: 'accept',
        content: { said: request.params.message },
      }));
      client.setRequestHandler('roots/list', () => ({ roots: [] }));
      const result = await client.callTool({ name: 'refund', arguments: { order: 'x' } });
      expect(result.content).toEqual([{ type: 'text', text: 'done' }]);
      const calls = transport.sentTo('tools/call');
      const [first, second, third] = calls.map(({ params }) => params ?? {});
      expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
      expect(calls.every(({ id, params }) => params?._meta?.['progressToken'] === id)).toBe(true);
      for (const params of [first, second, third])
        expect(params).toMatchObject({ name: 'refund', arguments: { order: 'x' } });
      expect(first).not.toHaveProperty('inputResponses');
      expect(second).toMatchObject({
        requestState: 'st\u00e4te/1==',
        inputResponses: { a: { action: 'accept', content: { said: 'Sure?' } }, b: { roots: [] } },
      });
      expect(third?.['inputResponses']).toEqual({ c: { action: 'accept', content: { said: 'Sure?' } } });
      expect(third).not.toHaveProperty('requestState');
    },
  );

  proves('M-MRTR-015').test('the number of rounds is limited', async () => {
    const { client, transport } = await connected(
      modern({ 'prompts/get': () => ({ resultType: 'input_required', inputRequests: { a: ask } }) }),
      { capabilities: ALL_ASKS, maxRounds: 3 },
    );
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
    await expect(client.getPrompt({ name: 'p' })).rejects.toMatchObject({
      code: 'invalid-result',
      message: expect.stringContaining('3 rounds'),
    });
    expect(transport.sentTo('prompts/get').length).toBe(4);
  });

  proves('M-MRTR-017').test('rounds that ask nothing are paced', async () => {
    let rounds = 0;
    const { client, transport, clock } = await connected(
      modern({
        'tools/call': () =>
          rounds++ < 3 ? { resultType: 'input_required', requestState: String(rounds) } : { content: [] },
      }),
    );
    const call = client.callTool({ name: 'x' });
    await clock.flush();
    expect(transport.sentTo('tools/call').length).toBe(2);
    await clock.advance(10_000);
    await call;
    expect(transport.sentTo('tools/call').map(({ params }) => params?.['requestState'])).toEqual([
      undefined,
      '1',
      '2',
      '3',
    ]);
  });

  proves('M-MRTR-022').test('answers and states of calls that run side by side are not mixed', async () => {
    const script = modern({
      'tools/call': (params) => {
        const { n } = params['arguments'] as { n: number };
        if (params['requestState'] === undefined)
          return {
            resultType: 'input_required',
            requestState: `s${n}`,
            inputRequests: { [`k${n}`]: { ...ask, params: { ...ask.params, message: `m${n}` } } },
          };
        const fits =
          params['requestState'] === `s${n}` &&
          JSON.stringify(params['inputResponses']) ===
            JSON.stringify({ [`k${n}`]: { action: 'accept', content: { said: `m${n}` } } });
        return { content: [], isError: !fits };
      },
    });
    const { client } = await connected(script, { capabilities: ALL_ASKS });
    client.setRequestHandler('elicitation/create', async ({ params }) => ({
      action: 'accept',
      content: { said: params.message },
    }));
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => client.callTool({ name: 'x', arguments: { n } })),
    );
    expect(results.every(({ isError }) => isError === false)).toBe(true);
  });

  proves('M-SAMP-004').test('questions inside an answer are held to the declared capabilities too', async () => {
    const question = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1, tools: [] } };
    const { client, transport } = await connected(
      modern({ 'tools/call': () => ({ resultType: 'input_required', inputRequests: { a: question } }) }),
      { capabilities: ALL_ASKS },
    );
    client.setRequestHandler('sampling/createMessage', () => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: '' },
    }));
    await expect(client.callTool({ name: 'x' })).rejects.toMatchObject({ kind: 'invalid-params' });
    expect(transport.sentTo('tools/call').length).toBe(1);
  });

  test('a question nobody can answer ends the call with a reason', async () => {
    const { client, transport } = await connected(
      modern({ 'tools/call': () => ({ resultType: 'input_required', inputRequests: { a: ask } }) }),
    );
    await expect(client.callTool({ name: 'x' })).rejects.toMatchObject({
      kind: 'method-not-found',
      message: expect.stringContaining('elicitation/create'),
    });
    expect(transport.sentTo('tools/call').length).toBe(1);
  });

  test('aborting the call while a person thinks ends it, and tells the handler', async () => {
    const { client, clock } = await connected(
      modern({ 'tools/call': () => ({ resultType: 'input_required', inputRequests: { a: ask } }) }),
      { capabilities: ALL_ASKS },
    );
    let told = false;
    client.setRequestHandler('elicitation/create', (_request, extra) => {
      extra.signal.addEventListener('abort', () => (told = true));
      return new Promise(() => {});
    });
    const controller = new AbortController();
    const call = failure(client.callTool({ name: 'x' }, { signal: controller.signal }));
    await clock.flush();
    controller.abort();
    expect(await call).toMatchObject({ code: 'aborted' });
    expect(told).toBe(true);
  });

  test('by hand: the questions are thrown, and the caller brings the answers back', async () => {
    const script = modern({
      'tools/call': (params) =>
        params['requestState'] === 's'
          ? { content: [] }
          : { resultType: 'input_required', requestState: 's', inputRequests: { a: ask } },
    });
    const { client } = await connected(script, { inputRequired: 'manual', capabilities: ALL_ASKS });
    const error = (await failure(client.callTool({ name: 'x' }))) as unknown as InputRequiredError;
    expect(error).toBeInstanceOf(InputRequiredError);
    expect(error.asks['a']).toEqual(ask);
    expect(
      await client.callTool({ name: 'x' }, { retry: { state: error.state!, answers: { a: { action: 'decline' } } } }),
    ).toEqual({ content: [] });
  });

  test('a state that the server refuses is its error', async () => {
    const script = modern({
      'tools/call': (params) =>
        params['requestState'] === undefined
          ? { resultType: 'input_required', requestState: 's' }
          : new Refusal(-32602, 'expired'),
    });
    const { client } = await connected(script);
    await expect(client.callTool({ name: 'x' })).rejects.toMatchObject({ code: -32602, message: 'expired' });
  });
});
