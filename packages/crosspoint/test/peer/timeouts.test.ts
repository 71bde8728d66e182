import { describe, expect, it } from 'vitest';
import { FakeSide, settled } from './fake-side.ts';

const progress = (progressToken: unknown, value: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress: value },
});

describe('timeouts', () => {
  it('after silence say so, and how long ago anything came', async () => {
    const side = new FakeSide();
    await side.clock.advance(40);
    side.peer.receive({ jsonrpc: '2.0', method: 'notifications/other' });
    const call = settled(side.peer.request(1, 'tools/call', undefined, { idleTimeoutMs: 100, totalTimeoutMs: 500 }));
    await side.clock.advance(60);
    side.peer.receive({ jsonrpc: '2.0', method: 'notifications/other' });
    await side.clock.advance(39);
    expect(side.sent).toHaveLength(1);
    await side.clock.advance(1);
    const { error } = await call;
    expect(error.message).toBe(
      'tools/call: no answer and no progress for 100 ms (idle timeout); the last message of any kind came 40 ms ago.',
    );
    expect(error).toMatchObject({
      code: 'idle-timeout',
      details: { method: 'tools/call', timer: 'idle', timeoutMs: 100, elapsedMs: 100, sinceLastMessageMs: 40 },
    });
    expect(side.sent[1]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1, reason: error.message },
    });
    expect(side.clock.pending).toBe(0);
  });

  it('of silence start anew with progress; the total one does not', async () => {
    const side = new FakeSide();
    const call = settled(side.peer.request(1, 'm', undefined, { idleTimeoutMs: 100, totalTimeoutMs: 350 }));
    for (let i = 1; i <= 4; i += 1) {
      await side.clock.advance(80);
      side.peer.receive(progress(1, i));
    }
    await side.clock.advance(29);
    expect(side.peer.outgoing.size).toBe(1);
    await side.clock.advance(1);
    const { error } = await call;
    expect(error.message).toBe(
      'm: not finished after 350 ms (total timeout); the last message of any kind came 30 ms ago.',
    );
    expect(error).toMatchObject({
      code: 'total-timeout',
      details: { timer: 'total', timeoutMs: 350, elapsedMs: 350, sinceLastMessageMs: 30 },
    });
  });

  it('of silence are counted from the last progress, not from when the timer looks', async () => {
    const side = new FakeSide();
    const call = settled(side.peer.request(1, 'm', undefined, { idleTimeoutMs: 100 }));
    await side.clock.advance(90);
    side.peer.receive(progress(1, 1));
    await side.clock.advance(99);
    expect(side.peer.outgoing.size).toBe(1);
    await side.clock.advance(1);
    expect((await call).error).toMatchObject({ code: 'idle-timeout' });
  });

  it('of silence begin anew with whatever else breaks it; the total one does not', async () => {
    const side = new FakeSide();
    let brokenAt = 0;
    side.peer.outgoing.brokenAt = () => brokenAt;
    const bounded = settled(side.peer.request(1, 'm', undefined, { idleTimeoutMs: 100, totalTimeoutMs: 150 }));
    const call = settled(side.peer.request(2, 'm', undefined, { idleTimeoutMs: 100 }));
    await side.clock.advance(90);
    brokenAt = side.clock.now();
    await side.clock.advance(60);
    expect((await bounded).error).toMatchObject({ code: 'total-timeout' });
    await side.clock.advance(39);
    expect(side.peer.outgoing.size).toBe(1);
    await side.clock.advance(1);
    expect((await call).error).toMatchObject({ code: 'idle-timeout' });
  });

  it('of silence do not start anew with the progress of another request', async () => {
    const side = new FakeSide();
    const call = settled(side.peer.request(1, 'm', undefined, { idleTimeoutMs: 100 }));
    await side.clock.advance(90);
    side.peer.receive(progress(2, 1));
    side.peer.receive(progress('1', 1));
    await side.clock.advance(10);
    expect((await call).error).toMatchObject({ code: 'idle-timeout' });
  });

  it.each([0, Number.POSITIVE_INFINITY, undefined])('of %s never fire and set no timer', (ms) => {
    const side = new FakeSide();
    void settled(
      side.peer.request(1, 'm', undefined, ms === undefined ? {} : { idleTimeoutMs: ms, totalTimeoutMs: ms }),
    );
    expect(side.clock.pending).toBe(0);
  });

  it('longer than a timer can be are waited for in parts', async () => {
    const side = new FakeSide();
    const waits: number[] = [];
    const setTimer = side.clock.setTimeout.bind(side.clock);
    side.clock.setTimeout = (run, ms) => {
      waits.push(ms);
      return setTimer(run, ms);
    };
    const days = 24 * 3600 * 1000;
    const call = settled(side.peer.request(1, 'm', undefined, { totalTimeoutMs: 60 * days }));
    await side.clock.advance(60 * days - 1);
    expect(side.peer.outgoing.size).toBe(1);
    await side.clock.advance(1);
    expect((await call).error).toMatchObject({ code: 'total-timeout' });
    expect(Math.max(...waits)).toBeLessThan(2 ** 31);
  });

  it('are gone with the answer', async () => {
    const side = new FakeSide();
    const call = side.peer.request(1, 'm', undefined, { idleTimeoutMs: 100, totalTimeoutMs: 200 });
    side.peer.receive({ jsonrpc: '2.0', id: 1, result: {} });
    await call;
    expect(side.clock.pending).toBe(0);
    await side.clock.advance(1000);
    expect(side.sent).toHaveLength(1);
  });
});
