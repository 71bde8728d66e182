import { describe, expect, it } from 'vitest';
import type { McpServer, ServerContext } from '../../src/server/index.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { accepting, ask, exchange, requireAsks, said, serverOf, textIn, wait } from './linked.ts';

const KEY = 'shared'.repeat(6);

/** A card that counts. `crash` makes the node die in the middle: the charge is made, and nothing of it comes back. */
class Card {
  charges: string[] = [];
  attempts: string[] = [];
  crash = false;

  async charge(key: string): Promise<string> {
    this.attempts.push(key);
    await wait(5);
    this.charges.push(key);
    if (this.crash) await new Promise(() => {});
    return 'receipt';
  }

  /** What the card company makes of the keys it was given. */
  get charged(): number {
    return new Set(this.charges).size;
  }
}

interface Node {
  card: Card;
  store?: Store;
  interrupted?: 'again' | 'fail';
  singleUse?: boolean;
}

/** A shop as one of several nodes: the code and the key are the same, the process is not. */
function node({ card, store, interrupted = 'again', singleUse = false }: Node): McpServer {
  const shop = async (ctx: ServerContext): Promise<unknown> => {
    const quote = await ctx.step('quote', () => 5);
    await ask(ctx, `Pay ${quote}?`);
    const receipt = await ctx.step('charge', ({ idempotencyKey }) => card.charge(idempotencyKey), { interrupted });
    const where = await ask(ctx, 'Where to?');
    return said(`${receipt} ${where}`);
  };
  return serverOf(shop, { asking: { keys: [KEY], singleUse, ...(store && { store }) } });
}

/** The call up to the question before the charge, asked by a node that then goes away. */
async function atTheTill(setup: Node): Promise<{ state: string; answers: ReturnType<typeof accepting> }> {
  const asked = requireAsks(await exchange(node(setup)));
  return { state: asked.state ?? '', answers: accepting(asked) };
}

async function finish(setup: Node, retry: { state: string; answers: object }): Promise<string> {
  const asked = requireAsks(await exchange(node(setup), retry as never));
  return textIn(await exchange(node(setup), { state: asked.state, answers: accepting(asked) }));
}

describe('a call that is asked by one node and answered at another', () => {
  it('goes on with nothing shared but the key, and charges once', async () => {
    const card = new Card();
    expect(await finish({ card }, await atTheTill({ card }))).toBe('receipt <Where to?>');
    expect(card.attempts).toHaveLength(1);
  });

  it('has one key for its step whoever runs it', async () => {
    const card = new Card();
    const retry = await atTheTill({ card });
    await Promise.all([exchange(node({ card }), retry), exchange(node({ card }), retry)]);
    expect(card.charged).toBe(1);
    expect(card.attempts[0]).toMatch(/^[0-9a-f-]{36}:charge$/);
  });
});

describe('the charge, counted: the step had finished', () => {
  it('and its round came back: once, in every setting', async () => {
    for (const setup of [
      {},
      { store: memoryStore() },
      { store: memoryStore(), interrupted: 'fail' as const },
      { store: memoryStore(), singleUse: true },
    ]) {
      const card = new Card();
      const asked = requireAsks(await exchange(node({ card, ...setup }), await atTheTill({ card, ...setup })));
      const last = { state: asked.state ?? '', answers: accepting(asked) };
      expect(textIn(await exchange(node({ card, ...setup }), last))).toContain('receipt');
      if (!('singleUse' in setup)) expect(textIn(await exchange(node({ card, ...setup }), last))).toContain('receipt');
      expect(card.attempts).toHaveLength(1);
    }
  });

  it('and the answer was lost, so that the retry is repeated: run twice with the same key without a store, once with one', async () => {
    for (const [store, attempts] of [
      [undefined, 2],
      [memoryStore(), 1],
    ] as const) {
      const card = new Card();
      const setup = { card, ...(store && { store }) };
      const retry = await atTheTill(setup);
      await exchange(node(setup), retry);
      expect(await finish(setup, retry)).toBe('receipt <Where to?>');
      expect(card.attempts).toHaveLength(attempts);
      expect(card.charged).toBe(1);
    }
  });

  it('with `fail`, the repeated retry gets the result that was kept', async () => {
    const card = new Card();
    const setup = { card, store: memoryStore(), interrupted: 'fail' } as const;
    const retry = await atTheTill(setup);
    await exchange(node(setup), retry);
    expect(await finish(setup, retry)).toBe('receipt <Where to?>');
    expect(card.attempts).toHaveLength(1);
  });

  it('with single use, the repeated retry is refused and nothing runs', async () => {
    const card = new Card();
    const setup = { card, store: memoryStore(), singleUse: true };
    const retry = await atTheTill(setup);
    await exchange(node(setup), retry);
    await expect(exchange(node(setup), retry)).rejects.toThrow('used before');
    expect(card.attempts).toHaveLength(1);
  });
});

describe('the charge, counted: the same retry arrives twice at the same moment', () => {
  const both = async (setup: Node): Promise<string[]> => {
    const retry = await atTheTill(setup);
    const ends = await Promise.allSettled([exchange(node(setup), retry), exchange(node(setup), retry)]);
    return ends.map((end) => (end.status === 'fulfilled' ? end.value.kind : (end.reason as Error).message)).toSorted();
  };

  it('with `again` it may run twice, with one key', async () => {
    for (const store of [undefined, memoryStore()]) {
      const card = new Card();
      expect(await both({ card, ...(store && { store }) })).toEqual(['input-required', 'input-required']);
      expect(card.attempts.length).toBeLessThanOrEqual(2);
      expect(card.charged).toBe(1);
    }
  });

  it('with `fail` it runs once, and the other copy ends as "outcome unknown"', async () => {
    const card = new Card();
    expect(await both({ card, store: memoryStore(), interrupted: 'fail' })).toEqual([
      expect.stringContaining('unknown'),
      'input-required',
    ]);
    expect(card.attempts).toHaveLength(1);
  });

  it('with single use it runs once, and the other copy is refused', async () => {
    const card = new Card();
    expect(await both({ card, store: memoryStore(), singleUse: true })).toEqual([
      expect.stringContaining('used before'),
      'input-required',
    ]);
    expect(card.attempts).toHaveLength(1);
  });
});

describe('the charge, counted: the step was in flight when its node was lost', () => {
  async function lostInFlight(setup: Node, retry: { state: string; answers: object }): Promise<void> {
    setup.card.crash = true;
    const dying = exchange(node(setup), retry as never).catch(() => {});
    while (setup.card.charges.length === 0) await wait(1);
    setup.card.crash = false;
    void dying;
  }

  it('with `again` it runs once more, with the same key', async () => {
    for (const store of [undefined, memoryStore()]) {
      const card = new Card();
      const setup = { card, ...(store && { store }) };
      const retry = await atTheTill(setup);
      await lostInFlight(setup, retry);
      expect(await finish(setup, retry)).toBe('receipt <Where to?>');
      expect(card.attempts).toHaveLength(2);
      expect(card.charged).toBe(1);
    }
  });

  it('with `fail` the call ends as "outcome unknown", however often it is tried', async () => {
    const card = new Card();
    const setup = { card, store: memoryStore(), interrupted: 'fail' } as const;
    const retry = await atTheTill(setup);
    await lostInFlight(setup, retry);
    for (let i = 0; i < 2; i += 1) {
      await expect(exchange(node(setup), retry)).rejects.toMatchObject({
        message: expect.stringContaining('outcome of the step "charge" is unknown') as string,
        data: { step: 'charge', outcome: 'unknown' },
      });
    }
    expect(card.attempts).toHaveLength(1);
  });

  it('with single use the retry is refused, since its state is spent', async () => {
    const card = new Card();
    const setup = { card, store: memoryStore(), singleUse: true };
    const retry = await atTheTill(setup);
    await lostInFlight(setup, retry);
    await expect(exchange(node(setup), retry)).rejects.toThrow('used before');
    expect(card.attempts).toHaveLength(1);
  });

  it('`fail` without a store is a mistake that is told at once', async () => {
    const card = new Card();
    const setup = { card, interrupted: 'fail' } as const;
    const result = textIn(await exchange(node(setup), await atTheTill(setup)));
    expect(result).toContain('needs asking: { store }');
    expect(card.attempts).toEqual([]);
  });
});
