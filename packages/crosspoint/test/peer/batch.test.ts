import { describe, expect, it } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { FakeSide, request } from './fake-side.ts';

const result = (id: string | number) => ({ jsonrpc: '2.0', id, result: {} });
const invalid = (reason: string, id?: string | number) => ({
  jsonrpc: '2.0',
  ...(id === undefined ? {} : { id }),
  error: { code: -32600, message: `Invalid request: ${reason}` },
});

describe('a batch, where the revision has them', () => {
  it('is answered together, once each, when the last answer is in', () => {
    const side = new FakeSide({ batches: true });
    side.peer.receive([request(1), { jsonrpc: '2.0', method: 'n' }, request('b')]);
    expect(side.requests.map(({ id }) => id)).toEqual([1, 'b']);
    expect(side.notifications).toHaveLength(1);
    side.peer.respond('b', {});
    expect(side.sent).toEqual([]);
    side.peer.respond(1, {});
    expect(side.sent).toEqual([[result('b'), result(1)]]);
  });

  it('is answered together also when the answers come at once', () => {
    const side = new FakeSide({ batches: true });
    side.answer = ({ id }) => side.peer.respond(id, {});
    side.peer.receive([request(1), request(2)]);
    expect(side.sent).toEqual([[result(1), result(2)]]);
  });

  it('of answers and notifications is not answered', async () => {
    const side = new FakeSide({ batches: true });
    const call = side.peer.request(side.peer.outgoing.reserveId(), 'm', undefined);
    side.peer.receive([result(1), { jsonrpc: '2.0', method: 'n' }, { jsonrpc: '2.0', method: 'n', params: [] }]);
    expect(await call).toEqual({});
    expect(side.sent).toHaveLength(1);
  });

  proves('L-MESSAGES-019').it('may not hold initialize', () => {
    const side = new FakeSide({ batches: true });
    side.answer = ({ id }) => side.peer.respond(id, {});
    side.peer.receive([request(1, 'initialize'), request(2)]);
    expect(side.requests.map(({ method }) => method)).toEqual(['m']);
    expect(side.sent).toEqual([
      [
        { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'initialize must not be part of a batch.' } },
        result(2),
      ],
    ]);
  });

  it('has every invalid member answered beside the good ones', () => {
    const side = new FakeSide({ batches: true });
    side.peer.receive([1, request(1), { jsonrpc: '2.0', id: 2, method: 'm', params: [] }, [request(3)], []]);
    side.peer.respond(1, {});
    expect(side.sent).toEqual([
      [
        invalid('A message must be a JSON object.'),
        invalid('The params must be an object.', 2),
        invalid('A batch is not allowed here.'),
        invalid('A batch must not be empty.'),
        result(1),
      ],
    ]);
    expect(side.requests).toHaveLength(1);
  });

  it('has a member that uses an id twice refused, and the first answered', () => {
    const side = new FakeSide({ batches: true });
    side.peer.receive([request(1), request(1)]);
    side.peer.respond(1, {});
    expect(side.sent).toMatchObject([[{ error: { code: -32600 } }, result(1)]]);
  });

  it('is answered without the members that were cancelled, and not at all when all were', () => {
    const side = new FakeSide({ batches: true });
    const cancel = (requestId: number) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId },
    });
    side.peer.receive([request(1), request(2)]);
    side.peer.respond(1, {});
    side.peer.receive(cancel(2));
    expect(side.sent).toEqual([[result(1)]]);
    side.peer.receive([request(3), cancel(3)]);
    side.peer.respond(3, {});
    expect(side.sent).toHaveLength(1);
  });

  it('keeps the other answers when one cannot be written', async () => {
    for (const transmit of [
      (message: unknown) => void JSON.stringify(message),
      async (message: unknown) => void JSON.stringify(message),
    ]) {
      const side = new FakeSide({ batches: true });
      side.transmit = transmit;
      side.peer.receive([request(1), request(2)]);
      side.peer.respond(1, { big: 1n });
      side.peer.respond(2, {});
      await side.clock.flush();
      expect(side.sent.at(-1)).toEqual([
        { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'The result cannot be sent as JSON.' } },
        result(2),
      ]);
    }
  });

  it('does not take in what arrives by itself while it is being read', () => {
    const side = new FakeSide({ batches: true });
    side.answer = ({ id }) => {
      if (id === 1) side.peer.receive(request('alone'));
      side.peer.respond(id, {});
    };
    side.peer.receive([request(1), request(2)]);
    expect(side.sent).toEqual([result('alone'), [result(1), result(2)]]);
  });

  it('is answered by a side that may not answer what it cannot understand, without the invalid members', () => {
    const side = new FakeSide({ batches: true, mayAnswer: false });
    side.peer.receive([request(1), 7]);
    side.peer.respond(1, {});
    expect(side.sent).toEqual([[result(1)]]);
  });

  it.each([undefined, null])('that is empty is refused by itself, with the id %s', (unreadableId) => {
    const side = new FakeSide({ batches: true, unreadableId });
    side.peer.receive([]);
    const error = invalid('A batch must not be empty.');
    expect(side.sent).toStrictEqual([unreadableId === null ? { jsonrpc: '2.0', id: null, error: error.error } : error]);
  });
});

describe('an array, where the revision has no batches', () => {
  proves('L-MESSAGES-020').it('is refused as a whole with one -32600, and this side sends none', () => {
    const side = new FakeSide();
    side.peer.receive([request(1), request(2)]);
    side.peer.receive([]);
    expect(side.requests).toEqual([]);
    expect(side.sent).toEqual([invalid('A batch is not allowed here.'), invalid('A batch must not be empty.')]);
    side.peer.receive(request(1));
    side.peer.receive(request(2));
    side.peer.respond(1, {});
    side.peer.respond(2, {});
    expect(side.sent.some((message) => Array.isArray(message))).toBe(false);
  });
});
