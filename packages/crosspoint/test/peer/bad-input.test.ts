import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BadFrame } from '../../src/transports/transport.ts';
import { proves } from '../requirements/proves.ts';
import { FakeSide, request, settled } from './fake-side.ts';

describe('values that are no message', () => {
  proves('L-MESSAGES-004, M-BASE-004').it.each([undefined, null])(
    'a request whose id is null is refused with the id %s that the revision gives it',
    (unreadableId) => {
      const side = new FakeSide({ unreadableId });
      side.peer.receive({ jsonrpc: '2.0', id: null, method: 'ping' });
      const error = { code: -32600, message: 'Invalid request: The id must not be null.' };
      expect(side.sent).toStrictEqual([
        unreadableId === null ? { jsonrpc: '2.0', id: null, error } : { jsonrpc: '2.0', error },
      ]);
      expect(side.requests).toEqual([]);
    },
  );

  proves('L-MESSAGES-025').it('a request whose params are an array is refused with its id', () => {
    const side = new FakeSide();
    side.peer.receive({ jsonrpc: '2.0', id: 'a', method: 'm', params: [] });
    expect(side.sent).toEqual([
      { jsonrpc: '2.0', id: 'a', error: { code: -32600, message: 'Invalid request: The params must be an object.' } },
    ]);
  });

  it('an id in use is not answered for something invalid that borrows it', () => {
    const side = new FakeSide();
    side.peer.receive(request(1));
    side.peer.receive({ jsonrpc: '2.0', id: 1, method: 'm', params: [] });
    expect(side.sent[0]).not.toHaveProperty('id');
    side.peer.respond(1, {});
    expect(side.sent[1]).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  it('are not answered by a side that must not', () => {
    const side = new FakeSide({ mayAnswer: false });
    for (const value of [7, [], {}, { jsonrpc: '2.0', id: 1, method: 3 }, { jsonrpc: '2.0', id: null, method: 'm' }])
      side.peer.receive(value);
    expect(side.sent).toEqual([]);
    expect(side.problems).toHaveLength(5);
  });

  proves('L-MESSAGES-001, L-MESSAGES-010, M-ERR-003').it(
    'never make the peer throw, and all it sends is well-formed',
    () => {
      const member = fc.oneof(
        fc.constantFrom('2.0', 'initialize', 'notifications/progress', 'notifications/cancelled', 1),
        fc.jsonValue({ maxDepth: 1 }),
      );
      const almost = fc.record(
        { jsonrpc: fc.constant('2.0'), id: member, method: member, params: member, result: member, error: member },
        { requiredKeys: [] },
      );
      const anything = fc.oneof(almost, fc.jsonValue(), fc.array(almost));
      fc.assert(
        fc.property(fc.array(anything), fc.boolean(), (values, batches) => {
          const side = new FakeSide({ batches });
          side.answer = ({ id }) => side.peer.respond(id, {});
          for (const value of values) side.peer.receive(value);
          for (const message of side.sent.flat() as Record<string, unknown>[]) {
            expect(message['jsonrpc']).toBe('2.0');
            expect('result' in message !== 'error' in message).toBe(true);
            if ('error' in message)
              expect(message['error']).toEqual({ code: expect.any(Number), message: expect.any(String) });
          }
          expect(side.peer.inFlight).toBe(0);
        }),
        { numRuns: 300 },
      );
    },
  );
});

describe('frames that hold no message', () => {
  const unparsable: BadFrame = { kind: 'unparsable', reason: 'Unexpected token', start: '{nonsense' };

  proves('L-MESSAGES-008, M-ERR-001').it('that cannot be parsed are answered with -32700 and no id', () => {
    const side = new FakeSide();
    side.peer.receiveBadFrame(unparsable);
    expect(side.sent).toStrictEqual([
      { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error: Unexpected token' } },
    ]);
    expect(side.problems).toMatchObject([{ code: 'bad-frame', details: { start: '{nonsense' } }]);
  });

  it('are answered with a null id where the revision says so, and not at all by a side that must not', () => {
    const side = new FakeSide({ unreadableId: null });
    side.peer.receiveBadFrame(unparsable);
    expect(side.sent).toMatchObject([{ id: null, error: { code: -32700 } }]);
    const mute = new FakeSide({ mayAnswer: false });
    mute.peer.receiveBadFrame(unparsable);
    mute.peer.receiveBadFrame({ kind: 'too-large', limit: 10, id: 1, isResponse: false });
    expect(mute.sent).toEqual([]);
    expect(mute.problems).toHaveLength(2);
  });

  it('that are too large are refused with the id that could still be read', () => {
    const side = new FakeSide();
    side.peer.receiveBadFrame({ kind: 'too-large', limit: 10, id: 'big', isResponse: false });
    expect(side.sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 'big',
        error: { code: -32600, message: 'The message is larger than the limit of 10 bytes.', data: { limit: 10 } },
      },
    ]);
    expect(side.problems).toMatchObject([{ code: 'too-large', details: { limit: 10, id: 'big' } }]);
  });

  it('that are too large are refused without id when it could not be read or belongs to a request in flight', () => {
    const side = new FakeSide();
    side.peer.receive(request(1));
    side.peer.receiveBadFrame({ kind: 'too-large', limit: 10, id: undefined, isResponse: false });
    side.peer.receiveBadFrame({ kind: 'too-large', limit: 10, id: 1, isResponse: false });
    expect(side.sent).toHaveLength(2);
    for (const message of side.sent) expect(message).not.toHaveProperty('id');
    expect(side.peer.isInFlight(1)).toBe(true);
  });

  it('that are answers fail the request they belong to, and nothing is sent back', async () => {
    const side = new FakeSide();
    const call = settled(side.peer.request(1, 'm', undefined));
    side.peer.receiveBadFrame({ kind: 'too-large', limit: 10, id: 1, isResponse: true });
    side.peer.receiveBadFrame({ kind: 'too-large', limit: 10, id: undefined, isResponse: true });
    expect((await call).error).toMatchObject({ code: 'too-large', details: { limit: 10 } });
    expect(side.sent).toHaveLength(1);
    expect(side.problems).toHaveLength(2);
  });

  it('count as a sign of life', async () => {
    const side = new FakeSide();
    const call = settled(side.peer.request(1, 'm', undefined, { idleTimeoutMs: 100 }));
    await side.clock.advance(70);
    side.peer.receiveBadFrame(unparsable);
    await side.clock.advance(30);
    expect((await call).error.details).toMatchObject({ sinceLastMessageMs: 30 });
  });
});
