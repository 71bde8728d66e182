import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRequestId } from '../../src/jsonrpc/message.ts';
import { TransportError } from '../../src/protocol/errors.ts';
import { proves } from '../requirements/proves.ts';
import { FakeSide, request, settled } from './fake-side.ts';

describe('requests of this side', () => {
  it('match answers to requests in whatever order they come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([1, 2, 3, 4, 5, 6], { minLength: 6 }), async (order) => {
        const side = new FakeSide();
        const calls = order.map(() => side.peer.outgoing.reserveId()).map((id) => side.peer.request(id, 'm', { id }));
        for (const id of order) side.peer.receive({ jsonrpc: '2.0', id, result: { answerTo: id } });
        expect(await Promise.all(calls)).toEqual([1, 2, 3, 4, 5, 6].map((id) => ({ answerTo: id })));
        expect(side.problems).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it('leave params out where there are none', async () => {
    const side = new FakeSide();
    void settled(side.peer.request(1, 'a', undefined));
    void settled(side.peer.request(2, 'b', { x: 1 }, { relatedRequestId: 'r' }));
    expect(side.sent).toEqual([request(1, 'a'), request(2, 'b', { x: 1 })]);
    expect(side.related).toEqual([undefined, 'r']);
  });

  proves('L-MESSAGES-005, M-BASE-005, M-BASE-003').it(
    'never use an id twice: 10 000 requests, answered, refused, timed out, cancelled and open',
    async () => {
      const side = new FakeSide();
      const ends: Promise<unknown>[] = [];
      for (let i = 0; i < 10_000; i += 1) {
        const id = side.peer.outgoing.reserveId();
        const abort = new AbortController();
        ends.push(settled(side.peer.request(id, 'm', undefined, { idleTimeoutMs: 50, signal: abort.signal })));
        if (i % 5 === 0) side.peer.receive({ jsonrpc: '2.0', id, result: {} });
        else if (i % 5 === 1) side.peer.receive({ jsonrpc: '2.0', id, error: { code: 1, message: 'no' } });
        else if (i % 5 === 2) abort.abort();
        if (i % 1000 === 0) await side.clock.advance(100);
      }
      await side.clock.advance(100);
      await Promise.all(ends);
      const ids = side.sent
        .filter((message): message is { id: unknown } => 'id' in (message as object))
        .map((message) => message.id);
      expect(ids).toHaveLength(10_000);
      expect(new Set(ids).size).toBe(10_000);
      expect(ids.every(isRequestId)).toBe(true);
      expect(side.peer.outgoing.size).toBe(0);
      expect(side.clock.pending).toBe(0);
    },
  );

  it('fail with what the peer says', async () => {
    const side = new FakeSide();
    const call = settled(side.peer.request(1, 'm', undefined));
    side.peer.receive({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'bad', data: 7 } });
    expect((await call).error).toMatchObject({
      name: 'ProtocolError',
      code: -32602,
      kind: 'invalid-params',
      message: 'bad',
      data: 7,
    });
  });

  it.each([
    [
      'throws',
      () => {
        throw new TransportError('closed', 'gone');
      },
    ],
    ['rejects', () => Promise.reject(new TransportError('closed', 'gone'))],
  ])('fail at once when sending %s', async (_how, transmit) => {
    const side = new FakeSide();
    side.transmit = transmit;
    const { error } = await settled(side.peer.request(1, 'm', undefined, { idleTimeoutMs: 10 }));
    expect(error).toMatchObject({ code: 'closed' });
    expect(side.peer.outgoing.size).toBe(0);
    expect(side.clock.pending).toBe(0);
  });

  it('are not settled by an id of another type', async () => {
    const side = new FakeSide();
    const id = side.peer.outgoing.reserveId();
    const call = side.peer.request(id, 'm', undefined);
    side.peer.receive({ jsonrpc: '2.0', id: String(id), result: { wrong: true } });
    side.peer.receive({ jsonrpc: '2.0', id, result: { right: true } });
    expect(await call).toEqual({ right: true });
    expect(side.problems.map((problem) => problem.message)).toEqual([
      'Received a response for an unknown message ID: "1"',
    ]);
  });

  it.each([
    ['a result that is null', { jsonrpc: '2.0', id: 1, result: null }],
    ['an error without code', { jsonrpc: '2.0', id: 1, error: { message: 'x' } }],
    ['result and error', { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'x' } }],
  ])('fail when the answer is %s, without waiting for a timer, and nothing is sent back', async (_what, answer) => {
    const side = new FakeSide();
    const call = settled(side.peer.request(side.peer.outgoing.reserveId(), 'm', undefined));
    side.peer.receive(answer);
    expect((await call).error).toMatchObject({ name: 'TransportError', code: 'invalid-result' });
    expect(side.sent).toHaveLength(1);
    expect(side.problems).toHaveLength(1);
  });

  it('all fail when the connection closes, and nothing is sent', async () => {
    const side = new FakeSide();
    const calls = ['a', 'b'].map((method, i) =>
      settled(side.peer.request(i + 1, method, undefined, { totalTimeoutMs: 9 })),
    );
    side.peer.close((method) => new TransportError('closed', `${method}: closed`));
    expect((await Promise.all(calls)).map(({ error }) => error.message)).toEqual(['a: closed', 'b: closed']);
    expect(side.sent).toHaveLength(2);
    expect(side.clock.pending).toBe(0);
  });

  it('made for an incoming request end with it', async () => {
    const side = new FakeSide();
    const mine = settled(side.peer.request(1, 'ask', undefined, { relatedRequestId: 'in' }));
    const other = settled(side.peer.request(2, 'ask', undefined, { relatedRequestId: 'else' }));
    side.peer.outgoing.abandonRelated('in', 'The request is over.');
    side.peer.receive({ jsonrpc: '2.0', id: 2, result: {} });
    expect((await mine).error).toMatchObject({ code: 'aborted' });
    expect(await other).toEqual({ value: {} });
    expect(side.sent.at(-1)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1, reason: 'The request is over.' },
    });
  });
});

describe('answers nobody waits for', () => {
  it('are a problem when the id was never used, and nothing when the answer is merely late', async () => {
    const side = new FakeSide();
    const id = side.peer.outgoing.reserveId();
    const call = settled(side.peer.request(id, 'm', undefined, { idleTimeoutMs: 10 }));
    await side.clock.advance(10);
    expect((await call).error).toMatchObject({ code: 'idle-timeout' });
    side.peer.receive({ jsonrpc: '2.0', id, result: {} });
    side.peer.receive({ jsonrpc: '2.0', id, error: { code: 1, message: 'late' } });
    expect(side.problems).toEqual([]);
    side.peer.receive({ jsonrpc: '2.0', id: 99, result: {} });
    side.peer.receive({ jsonrpc: '2.0', id: 'x', error: { code: 1, message: 'x' } });
    expect(side.problems.map((problem) => problem.message)).toEqual([
      'Received a response for an unknown message ID: 99',
      'Received a response for an unknown message ID: "x"',
    ]);
  });

  it.each([undefined, null])('that carry the id %s are reported with what the peer says', (id) => {
    const side = new FakeSide();
    side.peer.receive(
      id === undefined
        ? { jsonrpc: '2.0', error: { code: -32700, message: 'what?' } }
        : { jsonrpc: '2.0', id, error: { code: -32700, message: 'what?' } },
    );
    expect(side.problems).toMatchObject([{ code: -32700, message: 'The peer reports: what?' }]);
    expect(side.sent).toEqual([]);
  });
});

describe('requests of the peer', () => {
  proves('L-MESSAGES-006, L-MESSAGES-007, M-BASE-006, M-BASE-007').it.each([['7'], [7], [0], [''], [-3]])(
    'are answered with their own id %j and a result',
    (id) => {
      const side = new FakeSide();
      side.peer.receive(request(id));
      side.peer.respond(id, {});
      expect(side.sent).toStrictEqual([{ jsonrpc: '2.0', id, result: {} }]);
      expect(side.related).toEqual([id]);
    },
  );

  it('tell "7" from 7', () => {
    const side = new FakeSide();
    side.peer.receive(request('7'));
    side.peer.receive(request(7));
    side.peer.respond(7, { number: true });
    side.peer.respond('7', { string: true });
    expect(side.sent).toStrictEqual([
      { jsonrpc: '2.0', id: 7, result: { number: true } },
      { jsonrpc: '2.0', id: '7', result: { string: true } },
    ]);
  });

  proves('L-MESSAGES-008, M-ERR-001').it('are refused with their own id', () => {
    const side = new FakeSide();
    side.peer.receive(request('a'));
    side.peer.refuse('a', new Error('secret'));
    expect(side.sent).toStrictEqual([{ jsonrpc: '2.0', id: 'a', error: { code: -32603, message: 'Internal error' } }]);
  });

  proves('L-MESSAGES-011, L-MESSAGES-012, M-ERR-003').it.each([
    ['an error without message', new Error('')],
    ['a string', 'x'],
    ['undefined', undefined],
    ['an error with a code that is no integer', Object.assign(new Error('x'), { code: 'ENOENT' })],
  ])('are refused with an integer code and a message for %s', (_what, thrown) => {
    const side = new FakeSide();
    side.peer.receive(request(1));
    side.peer.refuse(1, thrown);
    expect(side.sent).toStrictEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } }]);
  });

  it('are refused in the words of a given revision where one is given', () => {
    const side = new FakeSide();
    side.peer.receive(request(1));
    const revision = { ...side.revision(), writeError: () => ({ code: -1, message: 'other words' }) };
    side.peer.refuse(1, new Error('x'), revision);
    expect(side.sent).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -1, message: 'other words' } }]);
  });

  it('are answered once', () => {
    const side = new FakeSide();
    side.peer.receive(request(1));
    expect(side.peer.isInFlight(1)).toBe(true);
    side.peer.respond(1, {});
    side.peer.respond(1, {});
    side.peer.refuse(1, new Error('x'));
    side.peer.respond(2, {});
    expect(side.sent).toHaveLength(1);
    expect(side.peer.inFlight).toBe(0);
  });

  it('may use an id again once it is answered', () => {
    const side = new FakeSide();
    for (let i = 0; i < 3; i += 1) {
      side.peer.receive(request(1));
      side.peer.respond(1, { i });
    }
    expect(side.sent).toHaveLength(3);
  });

  it('with an id still in use are refused without that id, so that the first keeps its answer', () => {
    const side = new FakeSide();
    side.peer.receive(request(1, 'first'));
    side.peer.receive(request(1, 'second'));
    expect(side.requests.map(({ method }) => method)).toEqual(['first']);
    expect(side.sent).toMatchObject([
      { error: { code: -32600, message: 'The id 1 is in use by a request that is not answered yet.' } },
    ]);
    expect(side.sent[0]).not.toHaveProperty('id');
    side.peer.respond(1, { first: true });
    expect(side.sent[1]).toEqual({ jsonrpc: '2.0', id: 1, result: { first: true } });
  });

  it('are all cancelled when the connection closes', () => {
    const side = new FakeSide();
    side.peer.receive(request(1));
    side.peer.receive(request('b'));
    side.peer.close(() => new Error('closed'));
    expect(side.cancelled.map(([id]) => id)).toEqual([1, 'b']);
    side.peer.respond(1, {});
    expect(side.sent).toEqual([]);
  });
});

describe('a result that cannot be written', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const answer = { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'The result cannot be sent as JSON.' } };

  it.each([
    ['throws', (message: unknown) => void JSON.stringify(message)],
    ['rejects', async (message: unknown) => void JSON.stringify(message)],
  ])('is answered with -32603 when sending %s', async (_how, transmit) => {
    const side = new FakeSide();
    side.transmit = transmit;
    side.peer.receive(request(1));
    side.peer.respond(1, cycle);
    await side.clock.flush();
    expect(side.sent.at(-1)).toEqual(answer);
    expect(side.problems).toHaveLength(1);
  });

  it('is not answered twice when it can be written and merely failed on the way', async () => {
    const side = new FakeSide();
    side.transmit = () => Promise.reject(new TransportError('closed', 'gone'));
    side.peer.receive(request(1));
    side.peer.respond(1, {});
    await side.clock.flush();
    expect(side.sent).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    expect(side.problems).toMatchObject([{ code: 'closed' }]);
  });
});

describe('notifications', () => {
  proves('L-MESSAGES-014, M-BASE-013').it('are sent without an id', () => {
    const side = new FakeSide();
    side.peer.notify('a', undefined);
    side.peer.notify('b', { x: 1 }, 'related');
    expect(side.sent).toStrictEqual([
      { jsonrpc: '2.0', method: 'a' },
      { jsonrpc: '2.0', method: 'b', params: { x: 1 } },
    ]);
    expect(side.related).toEqual([undefined, 'related']);
  });

  proves('L-MESSAGES-015, M-BASE-012').it('are never answered, known, unknown or malformed', () => {
    const side = new FakeSide();
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/unheard-of' },
      { jsonrpc: '2.0', method: 'notifications/cancelled' },
      { jsonrpc: '2.0', method: 'notifications/progress', params: {} },
      { jsonrpc: '2.0', method: 'x', params: [] },
      { jsonrpc: '1.0', method: 'x' },
      { method: 'x', params: 7 },
    ])
      side.peer.receive(message);
    expect(side.sent).toEqual([]);
    expect(side.notifications).toHaveLength(3);
    expect(side.problems).toHaveLength(3);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('gone');
      },
    ],
    ['rejects', () => Promise.reject(new Error('gone'))],
    ['rejects with no error', () => Promise.reject('gone')],
  ])('that cannot be sent are a problem and nothing more when sending %s', async (_how, transmit) => {
    const side = new FakeSide();
    side.transmit = transmit;
    side.peer.notify('a', undefined);
    await side.clock.flush();
    expect(side.problems.map((problem) => problem.message)).toEqual(['gone']);
  });
});
