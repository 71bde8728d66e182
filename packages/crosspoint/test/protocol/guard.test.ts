import { describe, expect, it } from 'vitest';
import { asError, attempt, report } from '../../src/runtime/guard.ts';

const BARE = Object.create(null) as object;
const REVOKED = Proxy.revocable({}, {});
REVOKED.revoke();

const fail = (): never => {
  throw new Error('thrown');
};

/** What a program may throw, and what is made of it. */
const THROWN: readonly [name: string, thrown: unknown, message: RegExp][] = [
  ['an error', new TypeError('as it is'), /^as it is$/],
  ['text', 'only text', /^only text$/],
  ['nothing', undefined, /^undefined$/],
  ['a symbol', Symbol('sign'), /^Symbol\(sign\)$/],
  ['an object that is no text', BARE, /cannot be written down/],
  ['a proxy that was revoked', REVOKED.proxy, /cannot be written down/],
];

describe('asError', () => {
  it.each(THROWN)('makes an error of %s', (_name, thrown, message) => {
    expect(asError(thrown).message).toMatch(message);
  });

  it('leaves an error as it is', () => {
    const error = new RangeError('mine');
    expect(asError(error)).toBe(error);
  });
});

describe('report', () => {
  it('tells the listener, with what belongs to the problem', () => {
    const told: unknown[] = [];
    report((problem: Error, where: string) => told.push(problem.message, where), 'lost', 'here');
    expect(told).toEqual(['lost', 'here']);
  });

  it.each(THROWN)('drops what the listener throws: %s', (_name, thrown) => {
    expect(() =>
      report(() => {
        throw thrown;
      }, new Error('a problem')),
    ).not.toThrow();
  });

  it('drops what the listener rejects with', async () => {
    await nothingUnhandled(() => report(async () => Promise.reject(new Error('later')), new Error('a problem')));
  });

  it('does nothing without a listener', () => {
    expect(() => report(undefined, BARE)).not.toThrow();
  });
});

describe('attempt', () => {
  it('reports what is thrown at once and what is rejected later', async () => {
    const told: string[] = [];
    const note = (problem: Error): number => told.push(problem.message);
    await nothingUnhandled(() => {
      attempt(() => {
        throw new Error('at once');
      }, note);
      attempt(async () => Promise.reject(new Error('later')), note);
    });
    expect(told).toEqual(['at once', 'later']);
  });

  it.each([
    ['a value', 1],
    ['nothing', null],
    ['a thenable that throws', new Proxy({}, { get: (_target, name) => (name === 'then' ? fail : undefined) })],
    ['a getter that throws', new Proxy({}, { get: fail })],
  ])('survives a callback that returns %s', async (_name, returned) => {
    await nothingUnhandled(() => attempt(() => returned, undefined));
  });
});

/** Fails when anything is left unhandled. */
async function nothingUnhandled(run: () => void): Promise<void> {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): number => unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    run();
    // Node looks for rejections without a handler when the microtasks are done, before the next turn begins.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(unhandled).toEqual([]);
}
