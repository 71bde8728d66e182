import { describe, expect, test } from 'vitest';
import { TransportError } from '../../../src/protocol/errors.ts';
import { ManualClock } from '../../../src/testing/manual-clock.ts';
import { isAnswer, sendAnswer } from '../../../src/transports/http/client/answer-retry.ts';

/** What each attempt comes to: a status, or an error. The last one stays. */
function server(...outcomes: (number | Error)[]): { send: () => Promise<Response>; attempts: () => number } {
  let attempts = 0;
  return {
    attempts: () => attempts,
    send: async () => {
      const outcome = outcomes[Math.min(attempts, outcomes.length - 1)] ?? 202;
      attempts += 1;
      if (outcome instanceof Error) throw outcome;
      return new Response(null, { status: outcome });
    },
  };
}

const network = new TransportError('network', 'refused');

describe('an answer to the server', () => {
  test('that cannot be taken just now is sent again, since somebody waits for it', async () => {
    const clock = new ManualClock();
    const { send, attempts } = server(503, network, 502, 202);
    const sent = sendAnswer(send, clock, new AbortController().signal);
    await clock.advance(10_000);
    expect((await sent).status).toBe(202);
    expect(attempts()).toBe(4);
  });

  test.each([200, 202, 400, 404, 500])('that was answered with %s is not sent again', async (status) => {
    const { send, attempts } = server(status);
    expect((await sendAnswer(send, new ManualClock(), new AbortController().signal)).status).toBe(status);
    expect(attempts()).toBe(1);
  });

  test('is given up after a while, with what came last', async () => {
    const clock = new ManualClock();
    const { send, attempts } = server(503);
    const sent = sendAnswer(send, clock, new AbortController().signal);
    await clock.advance(60_000);
    expect((await sent).status).toBe(503);
    expect(attempts()).toBe(11);
  });

  test('is not sent when nobody wants it any more', async () => {
    const controller = new AbortController();
    controller.abort();
    const { send, attempts } = server(new TransportError('aborted', 'closed'));
    await expect(sendAnswer(send, new ManualClock(), controller.signal)).rejects.toMatchObject({ code: 'aborted' });
    expect(attempts()).toBe(1);
  });

  test('is told from everything else', () => {
    expect(isAnswer({ jsonrpc: '2.0', id: 1, result: {} })).toBe(true);
    expect(isAnswer({ jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } })).toBe(true);
    expect(isAnswer({ jsonrpc: '2.0', id: 1, method: 'ping' })).toBe(false);
    expect(isAnswer({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBe(false);
  });
});
