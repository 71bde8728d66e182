import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../../src/peer/clock.ts';
import { FetchHttpReply } from '../../../src/transports/http/server/adapters/fetch-exchange.ts';
import { Ticker } from '../../../src/transports/http/server/sessions/ticker.ts';

describe('where a timer ends with the request that set it', () => {
  it('everyone is looked at when a waiting request says so, and not too often', () => {
    let now = 0;
    const clock: Clock = { now: () => now, setTimeout: () => 1, clearTimeout: () => {} };
    const ticker = new Ticker(clock, 1000);
    const ticks: number[] = [];
    ticker.add({ tick: (at) => ticks.push(at) });
    for (now = 0; now <= 2500; now += 500) ticker.beat();
    expect(ticks).toEqual([1000, 2000]);
  });
});

describe('the timer of a request', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function start(): { reply: FetchHttpReply; pulses: () => number; gone: AbortController } {
    const gone = new AbortController();
    let count = 0;
    const reply = new FetchHttpReply(gone.signal, { onpulse: () => (count += 1) });
    return { reply, gone, pulses: () => count };
  }

  it('runs while a stream is open and ends with it', () => {
    const { reply, pulses } = start();
    const stream = reply.open(200, {});
    vi.advanceTimersByTime(3000);
    expect(pulses()).toBe(3);
    stream.end();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('runs while an answer is waited for and ends with it', () => {
    const { reply, pulses } = start();
    reply.onabort(() => {});
    vi.advanceTimersByTime(2000);
    reply.send(200, {}, '{}');
    expect(pulses()).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends when the client goes away', () => {
    const { reply, gone } = start();
    reply.open(200, {});
    gone.abort();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not there where the server of the reply has one', () => {
    const { reply } = start();
    reply.withoutPulse();
    reply.onabort(() => {});
    reply.open(200, {});
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not there for an answer that is immediate', () => {
    const { reply } = start();
    reply.send(200, {}, '{}');
    expect(vi.getTimerCount()).toBe(0);
  });
});
