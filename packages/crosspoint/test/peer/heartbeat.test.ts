import { describe, expect, it } from 'vitest';
import type { TransportError } from '../../src/protocol/errors.ts';
import { startHeartbeat } from '../../src/peer/heartbeat.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

function heart(answers: (ping: number) => boolean, failures?: number) {
  const clock = new ManualClock();
  const pings: { at: number; timeoutMs: number }[] = [];
  const stale: TransportError[] = [];
  const port = {
    ping(timeoutMs: number): Promise<unknown> {
      pings.push({ at: clock.now(), timeoutMs });
      return answers(pings.length) ? Promise.resolve({}) : Promise.reject(new Error(`ping ${pings.length} failed`));
    },
    onstale: (reason: TransportError) => void stale.push(reason),
  };
  const stop = startHeartbeat(
    port,
    failures === undefined ? { intervalMs: 100 } : { intervalMs: 100, failures },
    clock,
  );
  return { clock, pings, stale, stop };
}

describe('a heartbeat', () => {
  it('pings at its interval while the peer answers', async () => {
    const { clock, pings, stale } = heart(() => true);
    await clock.advance(1000);
    expect(pings.map(({ at }) => at)).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]);
    expect(pings[0]?.timeoutMs).toBe(100);
    expect(stale).toEqual([]);
  });

  it('gives up after three failures in a row, says so once, and stops', async () => {
    const { clock, pings, stale } = heart(() => false);
    await clock.advance(1000);
    expect(pings).toHaveLength(3);
    expect(stale).toHaveLength(1);
    expect(stale[0]).toMatchObject({
      code: 'stale',
      message: 'The peer answered none of the last 3 pings, sent every 100 ms.',
      details: { failures: 3, intervalMs: 100 },
    });
    expect(stale[0]?.cause).toMatchObject({ message: 'ping 3 failed' });
    expect(clock.pending).toBe(0);
  });

  it('forgets failures with the first answer', async () => {
    const { clock, pings, stale } = heart((ping) => ping % 3 === 0);
    await clock.advance(1000);
    expect(pings).toHaveLength(10);
    expect(stale).toEqual([]);
  });

  it('allows as many failures as it is told', async () => {
    const { clock, stale } = heart(() => false, 1);
    await clock.advance(100);
    expect(stale).toHaveLength(1);
  });

  it('stops when told, between pings and during one', async () => {
    const between = heart(() => true);
    await between.clock.advance(150);
    between.stop();
    await between.clock.advance(1000);
    expect(between.pings).toHaveLength(1);

    const during = heart(() => {
      during.stop();
      return false;
    }, 1);
    await during.clock.advance(1000);
    expect(during.pings).toHaveLength(1);
    expect(during.stale).toEqual([]);
  });
});
