import { describe, expect, test } from 'vitest';
import { McpServer, UrlElicitationRequiredError, createMcpHandler, text } from '../../src/server/index.ts';
import { connected } from '../client/connected.ts';
import { legacy, modern, Refusal } from '../client/fake-server.ts';
import { proves } from '../requirements/proves.ts';
import { quiet, Wire } from '../server/wire.ts';
import { linked, newestHandshake, stateless } from './linked.ts';

const page = { mode: 'url', message: 'Sign in', url: 'https://auth.example/start', elicitationId: 'e1' };
const COMPLETE = 'notifications/elicitation/complete';
const capabilities = { elicitation: { url: {} } };

describe('a call that needs a page first (-32042)', () => {
  const refusing = (times: number, elicitations: unknown = [page]): ReturnType<typeof legacy> => {
    let calls = 0;
    return legacy({
      'tools/call': () =>
        (calls += 1) <= times
          ? new Refusal(-32042, 'Sign in first', { elicitations })
          : { content: [{ type: 'text', text: `call ${calls}` }] },
    });
  };

  test('is made again when the user has agreed and the server reports the page done', async () => {
    const reported: string[] = [];
    const { client, transport, clock } = await connected(refusing(1), {
      capabilities,
      onelicitationcomplete: (id) => reported.push(id),
    });
    const asked: unknown[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => (asked.push(params), { action: 'accept' }));
    const calling = client.callTool({ name: 't', arguments: { x: 1 } });
    await clock.flush();
    expect(asked).toEqual([page]);
    expect(transport.sentTo('tools/call')).toHaveLength(1);
    transport.line.notify(COMPLETE, { elicitationId: 'other' });
    await clock.flush();
    expect(transport.sentTo('tools/call')).toHaveLength(1);
    transport.line.notify(COMPLETE, { elicitationId: 'e1' });
    transport.line.notify(COMPLETE, { elicitationId: 'e1' });
    expect((await calling).content).toEqual([{ type: 'text', text: 'call 2' }]);
    const [one, two] = transport.sentTo('tools/call');
    expect(two?.params).toEqual({ ...one?.params, _meta: { ...one?.params?._meta, progressToken: two?.id } });
    // Unknown and repeated reports are ignored.
    expect(reported).toEqual(['e1']);
  });

  test.each([
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
  ])('ends with that error when the user %s', async (_what, answer) => {
    const { client, transport } = await connected(refusing(1), { capabilities });
    client.setRequestHandler('elicitation/create', () => answer as never);
    await expect(client.callTool({ name: 't' })).rejects.toMatchObject({
      kind: 'url-elicitation-required',
      code: -32042,
      data: { elicitations: [page] },
    });
    expect(transport.sentTo('tools/call')).toHaveLength(1);
  });

  test('ends with that error without the capability, in manual mode, and for pages that are none', async () => {
    for (const [options, settings, elicitations] of [
      [{}, {}, [page]],
      [{ capabilities }, { inputRequired: 'manual' }, [page]],
      [{ capabilities }, {}, []],
      [{ capabilities }, {}, [{ mode: 'form' }]],
      [{ capabilities }, {}, 'x'],
    ] as const) {
      const { client } = await connected(refusing(1, elicitations), options);
      let asked = 0;
      if ('capabilities' in options)
        client.setRequestHandler('elicitation/create', () => ((asked += 1), { action: 'accept' }));
      await expect(client.callTool({ name: 't' }, settings)).rejects.toMatchObject({ code: -32042 });
      expect(asked).toBe(0);
    }
  });

  test('ends with that error, its pages in it, when the client has declared pages and has no handler', async () => {
    const { client } = await connected(refusing(1), { capabilities });
    await expect(client.callTool({ name: 't' })).rejects.toMatchObject({
      code: -32042,
      data: { elicitations: [page] },
    });
  });

  test('is given up when nobody reports the page, when the caller gives up, and when the connection ends', async () => {
    const setup = await connected(refusing(1), { capabilities });
    setup.client.setRequestHandler('elicitation/create', () => ({ action: 'accept' }));
    const waiting = setup.client.callTool({ name: 't' }).catch((error: unknown) => error as { code: number });
    await setup.clock.advance(300_000);
    expect((await waiting) as object).toMatchObject({ code: -32042 });
    const other = await connected(refusing(1), { capabilities });
    other.client.setRequestHandler('elicitation/create', () => ({ action: 'accept' }));
    const stop = new AbortController();
    const stopped = other.client
      .callTool({ name: 't' }, { signal: stop.signal })
      .catch((error: unknown) => error as Error);
    await other.clock.flush();
    stop.abort(new Error('enough'));
    expect(((await stopped) as Error).message).toBe('enough');
    const third = await connected(refusing(1), { capabilities });
    third.client.setRequestHandler('elicitation/create', () => ({ action: 'accept' }));
    const lost = third.client.callTool({ name: 't' }).catch((error: unknown) => error as Error);
    await third.clock.flush();
    await third.client.close();
    expect(await lost).toBeInstanceOf(Error);
    expect(third.clock.pending).toBe(0);
  });

  test('is not made for ever', async () => {
    const { client, transport, clock } = await connected(refusing(100), { capabilities, maxRounds: 3 });
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept' }));
    const calling = client.callTool({ name: 't' }).catch((error: unknown) => error as object);
    await clock.flush();
    transport.line.notify(COMPLETE, { elicitationId: 'e1' });
    expect(await calling).toMatchObject({ code: -32042 });
    expect(transport.sentTo('tools/call')).toHaveLength(4);
  });
});

proves('L-ELICITATION-035, L-ELICITATION-039').describe('reports of pages that are done', () => {
  test('are passed on once for pages that the user was sent to, live ones too, under ids of any form', async () => {
    const reported: string[] = [];
    const raw: unknown[] = [];
    const { client, transport, clock, problems } = await connected(legacy(), {
      capabilities,
      onelicitationcomplete: (id) => reported.push(id),
    });
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept' }));
    client.setNotificationHandler(COMPLETE, ({ params }) => void raw.push(params));
    const odd = 'x'.repeat(500) + ' "é☃{}';
    transport.line.send({
      jsonrpc: '2.0',
      id: 'q',
      method: 'elicitation/create',
      params: { ...page, elicitationId: odd },
    });
    await clock.flush();
    for (const elicitationId of [odd, odd, 'unknown', 7, undefined]) transport.line.notify(COMPLETE, { elicitationId });
    transport.line.notify(COMPLETE);
    await clock.flush();
    expect(reported).toEqual([odd]);
    expect(raw).toHaveLength(6);
    expect(problems).toEqual([]);
  });

  proves('L-ELICITATION-038').test('go to the client that was asked, and to no other', async () => {
    const done: (() => void)[] = [];
    const server = new McpServer({ name: 's', version: '1' });
    server.registerTool('t', {}, async (ctx) => {
      done.push(ctx.pageCompletion('e1'));
      await ctx.elicit({ mode: 'url', message: 'm', url: 'https://a.example/', elicitationId: 'e1' });
      return text('ok');
    });
    const [one, two, three] = [
      await Wire.open(server, capabilities),
      await Wire.open(server, capabilities),
      await Wire.open(server, capabilities),
    ];
    one.onrequest = () => ({ action: 'accept' });
    await two.handshake(newestHandshake);
    await one.call('t', {}, newestHandshake);
    await three.request('tools/call', { name: 't' }, stateless);
    for (const tell of done) tell();
    await quiet();
    expect(one.notified(COMPLETE).map(({ params }) => params)).toEqual([{ elicitationId: 'e1' }]);
    expect(two.notified(COMPLETE)).toEqual([]);
    expect(three.notified(COMPLETE)).toEqual([]);
    const named = server.server;
    server.registerTool('u', {}, async () => (await named.createElicitationCompletionNotifier('e2')(), text('ok')));
    await two.call('u', {}, newestHandshake);
    expect(two.notified(COMPLETE).map(({ params }) => params)).toEqual([{ elicitationId: 'e2' }]);
    expect(one.notified(COMPLETE)).toHaveLength(1);
  });

  test.each([
    [stateless.id, {}],
    [newestHandshake.id, { sessions: false as const }],
  ])(
    'go nowhere, without an error, where the client of an HTTP request has no session (%s)',
    async (version, options) => {
      const problems: Error[] = [];
      const mcp = new McpServer({ name: 's', version: '1' });
      mcp.server.onerror = (problem) => problems.push(problem);
      mcp.registerTool('t', {}, async (ctx) => {
        ctx.pageCompletion('e1')();
        await mcp.server.createElicitationCompletionNotifier('e2')();
        return text('ok');
      });
      const handler = createMcpHandler(mcp, options);
      const meta = {
        protocolVersion: version,
        clientInfo: { name: 'c', version: '1' },
        clientCapabilities: capabilities,
      };
      const _meta = Object.fromEntries(
        Object.entries(meta).map(([key, value]) => [`io.modelcontextprotocol/${key}`, value]),
      );
      const params = { name: 't', ...(version === stateless.id && { _meta }) };
      const answer = await handler.fetch(
        new Request('http://localhost/mcp', {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            host: 'localhost',
            'mcp-protocol-version': version,
            'mcp-method': 'tools/call',
            'mcp-name': 't',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
        }),
      );
      expect((await answer.json()).result).toMatchObject({ content: [{ type: 'text', text: 'ok' }] });
      expect(problems).toEqual([]);
      await handler.close();
    },
  );
});

describe('the whole way', () => {
  test.each([stateless.id, newestHandshake.id])(
    'one handler sends the user to a page and goes on (%s)',
    async (revision) => {
      const users = new Set<string>();
      const server = new McpServer({ name: 's', version: '1' });
      server.registerTool('t', {}, (ctx) => {
        if (users.has('ann')) return text('here it is');
        const tell = ctx.pageCompletion('e1');
        setTimeout(() => {
          users.add('ann');
          tell();
        }, 5);
        if (ctx.inputResponses) users.add('ann');
        throw new UrlElicitationRequiredError([
          { message: 'Sign in', url: 'https://auth.example/', elicitationId: 'e1' },
        ]);
      });
      const { client, asked } = await linked(server, revision, { answer: () => ({ action: 'accept' }) });
      expect((await client.callTool({ name: 't' })).content).toEqual([{ type: 'text', text: 'here it is' }]);
      expect(asked[0]).toBe('Sign in');
    },
  );
});

proves('M-MRTR-021, M-MRTR-023, M-MRTR-024').test(
  'manual mode hands the questions to the caller, who brings the answers back',
  async () => {
    let calls = 0;
    const ask = {
      method: 'elicitation/create',
      params: { message: 'm', requestedSchema: { type: 'object', properties: {} } },
    };
    const { client, transport } = await connected(
      modern({
        'tools/call': () =>
          (calls += 1) === 1
            ? { resultType: 'input_required', inputRequests: { q: ask }, requestState: 's1' }
            : { resultType: 'complete', content: [] },
      }),
      { capabilities: { elicitation: {} } },
    );
    const error = (await client
      .callTool({ name: 't', arguments: { x: 1 } }, { inputRequired: 'manual' })
      .catch((thrown: unknown) => thrown)) as { asks: object; state: string };
    expect(error).toMatchObject({ name: 'InputRequiredError', asks: { q: ask }, state: 's1' });
    await client.callTool(
      { name: 't', arguments: { x: 1 } },
      { inputRequired: 'manual', retry: { state: error.state, answers: { q: { action: 'decline' } } } },
    );
    const [one, two] = transport.sentTo('tools/call');
    expect(two?.id).not.toBe(one?.id);
    expect(two?.params).toMatchObject({
      name: 't',
      arguments: { x: 1 },
      requestState: 's1',
      inputResponses: { q: { action: 'decline' } },
    });
  },
);
