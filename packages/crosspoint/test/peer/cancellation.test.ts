import { describe, expect, it } from 'vitest';
import type { RequestId } from '../../src/jsonrpc/message.ts';
import { proves } from '../requirements/proves.ts';
import { FakeSide, request, settled } from './fake-side.ts';

const cancelled = (params?: object) =>
  params
    ? { jsonrpc: '2.0', method: 'notifications/cancelled', params }
    : { jsonrpc: '2.0', method: 'notifications/cancelled' };

describe('cancelling a request of this side', () => {
  proves('L-CANCELLATION-013, L-CANCELLATION-014').it('tells the peer which one, and the caller why', async () => {
    const side = new FakeSide();
    const abort = new AbortController();
    const call = settled(side.peer.request(1, 'm', undefined, { signal: abort.signal, relatedRequestId: 'r' }));
    abort.abort();
    expect((await call).error).toMatchObject({
      name: 'TransportError',
      code: 'aborted',
      message: 'm was cancelled by the caller.',
    });
    expect(side.sent[1]).toEqual(cancelled({ requestId: 1, reason: 'AbortError: This operation was aborted' }));
    expect(side.related[1]).toBe('r');
  });

  it('rejects with the caller’s own reason where there is one, and tells it to the peer', async () => {
    const side = new FakeSide();
    const abort = new AbortController();
    const call = settled(side.peer.request(1, 'm', undefined, { signal: abort.signal }));
    const reason = new Error('changed my mind');
    abort.abort(reason);
    expect((await call).error).toBe(reason);
    expect(side.sent[1]).toEqual(cancelled({ requestId: 1, reason: 'Error: changed my mind' }));
  });

  it('sends nothing at all when the signal was aborted before', async () => {
    const side = new FakeSide();
    const { error } = await settled(side.peer.request(1, 'm', undefined, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: 'aborted' });
    expect(side.sent).toEqual([]);
  });

  proves('L-CANCELLATION-001, M-CAN-009').it('sends nothing for a request that is over', async () => {
    const side = new FakeSide();
    const ends: [string, (id: RequestId) => void][] = [
      ['result', (id) => side.peer.receive({ jsonrpc: '2.0', id, result: {} })],
      ['error', (id) => side.peer.receive({ jsonrpc: '2.0', id, error: { code: 1, message: 'x' } })],
    ];
    for (const [, end] of ends) {
      const id = side.peer.outgoing.reserveId();
      const abort = new AbortController();
      const call = settled(side.peer.request(id, 'm', undefined, { signal: abort.signal }));
      end(id);
      await call;
      abort.abort();
    }
    await side.clock.flush();
    expect(side.sent).toEqual([request(1), request(2)]);
  });

  it('is told once, even when a timer fires after it', async () => {
    const side = new FakeSide();
    const abort = new AbortController();
    const call = settled(
      side.peer.request(1, 'm', undefined, { signal: abort.signal, idleTimeoutMs: 5, totalTimeoutMs: 9 }),
    );
    abort.abort();
    await side.clock.advance(100);
    await call;
    expect(side.sent).toHaveLength(2);
  });

  proves('L-CANCELLATION-009').it('ignores the answer that crosses it', async () => {
    const side = new FakeSide();
    const abort = new AbortController();
    const id = side.peer.outgoing.reserveId();
    const call = settled(side.peer.request(id, 'm', undefined, { signal: abort.signal }));
    abort.abort();
    side.peer.receive({ jsonrpc: '2.0', id, result: { late: true } });
    side.peer.receive({ jsonrpc: '2.0', id, error: { code: 1, message: 'late' } });
    expect((await call).error).toMatchObject({ code: 'aborted' });
    expect(side.problems).toEqual([]);
  });

  it('says nothing on the wire for the one request that must not be cancelled there', async () => {
    const side = new FakeSide();
    const call = settled(side.peer.request(1, 'initialize', undefined, { cancellable: false, totalTimeoutMs: 10 }));
    await side.clock.advance(10);
    expect((await call).error).toMatchObject({ code: 'total-timeout' });
    expect(side.sent).toHaveLength(1);
  });
});

describe('cancelling a request of the peer', () => {
  it('is passed on with its reason, and the request is not answered any more', () => {
    const side = new FakeSide();
    side.peer.receive(request('a'));
    side.peer.receive(cancelled({ requestId: 'a', reason: 'tired' }));
    expect(side.cancelled).toEqual([['a', 'tired']]);
    side.peer.respond('a', {});
    side.peer.refuse('a', new Error('x'));
    expect(side.sent).toEqual([]);
    expect(side.peer.inFlight).toBe(0);
  });

  proves('L-CANCELLATION-009').it('does nothing when it crosses the answer', () => {
    const side = new FakeSide();
    side.peer.receive(request(1));
    side.peer.respond(1, {});
    side.peer.receive(cancelled({ requestId: 1 }));
    expect(side.cancelled).toEqual([]);
    expect(side.sent).toHaveLength(1);
    expect(side.problems).toEqual([]);
  });

  proves('L-CANCELLATION-013, L-CANCELLATION-014').it.each([
    [undefined],
    [{}],
    [{ requestId: null }],
    [{ requestId: 1.5 }],
    [{ requestId: { id: 1 } }],
    [{ requestId: 'unknown' }],
    [{ requestId: '1' }],
  ])('is ignored with the params %j', (params) => {
    const side = new FakeSide();
    side.peer.receive(request(1));
    side.peer.receive(cancelled(params));
    expect(side.cancelled).toEqual([]);
    side.peer.respond(1, {});
    expect(side.sent).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it('takes a reason that is no text for none', () => {
    const side = new FakeSide();
    side.peer.receive(request(1));
    side.peer.receive(cancelled({ requestId: 1, reason: 7 }));
    expect(side.cancelled).toEqual([[1, undefined]]);
  });
});
