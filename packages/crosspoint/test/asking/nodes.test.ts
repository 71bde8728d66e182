import { describe, expect, it } from 'vitest';
import type { McpServer, ServerContext } from '../../src/server/index.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { accepting, ask, exchange, requireAsks, said, serverOf, textIn, wait } from './linked.ts';

const KEY = 'shared'.repeat(6);

/** A card that counts. `crash` makes the node die in the middle: the charge is made, and nothing of it comes back. */
class Card {
  charges: string[] = [];
  attempts: string[] = [];
  crash = false;
  /** Lets what hangs since a crash go on: the node was not dead, but stood still. */
  wake: () => void = () => {};

  async charge(key: string): Promise<string> {
    this.attempts.push(key);
    await wait(5);
    this.charges.push(key);
    if (this.crash) await new Promise<void>((resolve) => (this.wake = resolve));
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
  clock?: ManualClock;
  interrupted?: 'again' | 'fail';
  singleUse?: boolean;
}

/** A store as a process has it that dies: from then on nothing it says arrives, and nothing is told to it. */
function mortalStore(store: Store): { store: Store; die: () => void } {
  let isDead = false;
  const mortal = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown =>
        isDead ? new Promise(() => {}) : (member as (...given: unknown[]) => unknown).apply(target, args);
    },
  });
  return { store: mortal, die: () => (isDead = true) };
}

/** A shop as one of several nodes: the code and the key are the same, the process is not. */
function node({ card, store, clock, interrupted = 'again', singleUse = false }: Node): McpServer {
  const shop = async (ctx: ServerContext): Promise<unknown> => {
    const quote = await ctx.step('quote', () => 5);
    await ask(ctx, `Pay ${quote}?`);
    const receipt = await ctx.step('charge', ({ idempotencyKey }) => card.charge(idempotencyKey), { interrupted });
    const where = await ask(ctx, 'Where to?');
    return said(`${receipt} ${where}`);
  };
  return serverOf(shop, { asking: { keys: [KEY], singleUse, ...(store && { store }) }, ...(clock && { clock }) });
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

describe('the charge, counted: the same retry arrives at two nodes at the same moment', () => {
  const both = async (setup: Node): Promise<string[]> => {
    const retry = await atTheTill(setup);
    const ends = await Promise.allSettled([exchange(node(setup), retry), exchange(node(setup), retry)]);
    return ends.map((end) => (end.status === 'fulfilled' ? JSON.stringify(end.value) : (end.reason as Error).message));
  };

  it('with nothing shared but the key it runs at each, with one idempotency key', async () => {
    const card = new Card();
    for (const end of await both({ card })) expect(end).toContain('input-required');
    expect(card.attempts).toHaveLength(2);
    expect(card.charged).toBe(1);
  });

  it('with a store it runs once, and both get the same outcome', async () => {
    for (const interrupted of ['again', 'fail'] as const) {
      const card = new Card();
      const [one, other] = await both({ card, store: memoryStore(), interrupted });
      expect(one).toContain('input-required');
      expect(other).toBe(one);
      expect(card.attempts).toHaveLength(1);
    }
  });

  it('with single use it runs once, and the other copy is refused', async () => {
    const card = new Card();
    expect((await both({ card, store: memoryStore(), singleUse: true })).toSorted()).toEqual([
      expect.stringContaining('used before'),
      expect.stringContaining('input-required'),
    ]);
    expect(card.attempts).toHaveLength(1);
  });
});

describe('the charge, counted: the step was in flight when its node was lost', () => {
  const withStore = (more: Partial<Node> = {}): Node & { card: Card; clock: ManualClock } => {
    const clock = new ManualClock(1e12);
    return { card: new Card(), clock, store: memoryStore({ now: () => clock.now() }), ...more };
  };

  /** The charge is made, and nothing more is heard of the node that made it. */
  async function lostInFlight(setup: Node, retry: { state: string; answers: object }): Promise<void> {
    const { card, store, clock } = setup;
    const mortal = store && mortalStore(store);
    card.crash = true;
    // Its clock stands still with it.
    const dying = {
      ...setup,
      ...(mortal && { store: mortal.store }),
      ...(clock && { clock: new ManualClock(clock.now()) }),
    };
    void exchange(node(dying), retry as never).catch(() => {});
    while (card.charges.length === 0) await wait(1);
    mortal?.die();
    card.crash = false;
  }

  it('with nothing shared but the key it runs once more, with the same idempotency key', async () => {
    const setup = { card: new Card() };
    const retry = await atTheTill(setup);
    await lostInFlight(setup, retry);
    expect(await finish(setup, retry)).toBe('receipt <Where to?>');
    expect(setup.card.attempts).toHaveLength(2);
    expect(setup.card.charged).toBe(1);
  });

  it('with a store another node goes on once the lease has ended, and runs it once more with the same key', async () => {
    const setup = withStore();
    const retry = await atTheTill(setup);
    await lostInFlight(setup, retry);
    const again = exchange(node(setup), retry as never);
    await wait(20);
    expect(setup.card.attempts).toHaveLength(1);
    await setup.clock.advance(31_000);
    const asked = requireAsks(await again);
    expect(setup.card.attempts).toHaveLength(2);
    expect(setup.card.charged).toBe(1);
    expect(textIn(await exchange(node(setup), { state: asked.state, answers: accepting(asked) }))).toContain('receipt');
    expect(setup.card.attempts).toHaveLength(2);
  });

  it('with a store a node that only stood still finds that another has gone on, and tells what that one came to', async () => {
    const setup = withStore();
    const { card, clock } = setup;
    const retry = await atTheTill(setup);
    card.crash = true;
    const asleep = exchange(node({ ...setup, clock: new ManualClock(clock.now()) }), retry);
    while (card.charges.length === 0) await wait(1);
    card.crash = false;
    await clock.advance(31_000);
    const other = await exchange(node(setup), retry);
    card.wake();
    expect(await asleep).toEqual(other);
    expect(requireAsks(other).state).toBeDefined();
    expect(card.attempts).toHaveLength(2);
    expect(card.charged).toBe(1);
  });

  it('with `fail` the call ends as "outcome unknown", however often it is tried', async () => {
    const setup = withStore({ interrupted: 'fail' });
    const retry = await atTheTill(setup);
    await lostInFlight(setup, retry);
    await setup.clock.advance(31_000);
    for (let i = 0; i < 2; i += 1) {
      await expect(exchange(node(setup), retry)).rejects.toMatchObject({
        message: expect.stringContaining('outcome of the step "charge" is unknown') as string,
        data: { step: 'charge', outcome: 'unknown' },
      });
    }
    expect(setup.card.attempts).toHaveLength(1);
  });

  it('with single use the retry is refused, since its state is spent', async () => {
    const setup = withStore({ singleUse: true });
    const retry = await atTheTill(setup);
    await lostInFlight(setup, retry);
    await setup.clock.advance(31_000);
    await expect(exchange(node(setup), retry)).rejects.toThrow('used before');
    expect(setup.card.attempts).toHaveLength(1);
  });

  it('`fail` without a store is a mistake that is told at once', async () => {
    const card = new Card();
    const setup = { card, interrupted: 'fail' } as const;
    const result = textIn(await exchange(node(setup), await atTheTill(setup)));
    expect(result).toContain('needs asking: { store }');
    expect(card.attempts).toEqual([]);
  });
});
