import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { endOf, soon, type Ending, type Family } from './ending.ts';
import { conversation, type Conversation } from './program.ts';
import { createPlayer } from './server.ts';
import { bridge } from '../../src/index.ts';
import { serve } from './serving.ts';

const RUNS = Number(process.env['RUNS'] ?? 15);
/** Milliseconds for all runs of one property, those that make a failure smaller included. */
const LIMIT_MS = Number(process.env['LIMIT_MS'] ?? 10_000);
vi.setConfig({ testTimeout: LIMIT_MS + 30_000 });

interface Ended extends Ending {
  /** Calls that the server saw cancelled. */
  readonly stopped: readonly string[];
  /** How often a tool ran, by call. */
  readonly runs: Readonly<Record<string, number>>;
}

const hangingIn = (talk: Conversation): number => talk.flat().filter(({ end }) => end === 'hang').length;

async function directly(talk: Conversation, family: Family): Promise<Ended> {
  const { server, stopped, runs } = createPlayer();
  const { url, close } = await serve(server);
  try {
    const ending = await endOf(talk, url, family);
    await soon(() => stopped().length === hangingIn(talk));
    return { ...ending, stopped: stopped(), runs: runs() };
  } finally {
    await close();
  }
}

async function bridged(talk: Conversation, ofClient: Family, ofServer: Family): Promise<Ended> {
  const { server, stopped, runs } = createPlayer(ofServer);
  const upstream = await serve(server);
  const between = bridge(upstream.url);
  const { url, close } = await serve(between);
  try {
    const ending = await endOf(talk, url, ofClient);
    await soon(() => stopped().length === hangingIn(talk));
    return { ...ending, stopped: stopped(), runs: runs() };
  } finally {
    await close();
    await between.close();
    await upstream.close();
  }
}

describe('random conversations', () => {
  it('end as they should', async () => {
    const parts = (['ask', 'decline', 'two at once', 'progress', 'log', 'touch', 'grow'] as const).map((kind) => ({
      kind,
    }));
    const talk: Conversation = [
      [{ parts, end: 'answer' }],
      [
        { parts: [], end: 'hang' },
        { parts: [], end: 'fail' },
      ],
    ];
    const { calls, ...rest } = await directly(talk, 'handshake');
    expect(calls).toMatchObject({
      '0-0': { outcome: { isError: false }, progress: ['0-0.3'] },
      '1-0': { outcome: 'cancelled', progress: [] },
      '1-1': { outcome: { isError: true }, progress: [] },
    });
    expect(rest).toEqual({
      asked: ['ask 0-0.0', 'decline 0-0.1', 'left 0-0.2', 'right 0-0.2'],
      logs: ['0-0.4'],
      isTouched: true,
      hasGrown: true,
      tools: ['grown-0-0.6', 'play', 'play-long'],
      stopped: ['1-0'],
      runs: { '0-0': 1, '1-0': 1, '1-1': 1 },
    });
  });

  it('end alike in both families without a bridge', async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (talk) => {
        expect(await directly(talk, 'per-request')).toEqual(await directly(talk, 'handshake'));
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: LIMIT_MS },
    );
  });

  it.each([
    ['handshake', 'handshake'],
    ['handshake', 'per-request'],
    ['per-request', 'handshake'],
    ['per-request', 'per-request'],
  ] as const)('of a %s client with a %s server end alike through a bridge', async (ofClient, ofServer) => {
    await fc.assert(
      fc.asyncProperty(conversation, async (talk) => {
        expect(await bridged(talk, ofClient, ofServer)).toEqual(await directly(talk, ofClient));
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: LIMIT_MS },
    );
  });
});
