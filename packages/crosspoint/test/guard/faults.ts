/** What callbacks of a program may do wrong, and how a test has one do it. */
import { expect } from 'vitest';
import { until } from '../until.ts';

type AnyFunction = (...args: never[]) => unknown;

/** An object that throws whatever is asked of it. */
const POISON: object = new Proxy(
  {},
  {
    get: (_target, name) => {
      // A promise is resolved with it, which asks for `then`: that it has none lets it through.
      if (name === 'then') return undefined;
      throw new Error('poison');
    },
    getPrototypeOf: () => {
      throw new Error('poison');
    },
    ownKeys: () => {
      throw new Error('poison');
    },
  },
);

export const FAULTS: readonly [name: string, run: () => unknown][] = [
  [
    'throws',
    () => {
      throw new Error('thrown by the program');
    },
  ],
  [
    'throws what is no error',
    () => {
      throw Object.create(null);
    },
  ],
  ['rejects', () => Promise.reject(new Error('rejected by the program'))],
  ['rejects with nothing', () => Promise.reject()],
  ['gives nothing', () => undefined],
  ['gives a number', () => 42],
  ['gives what throws when it is looked at', () => POISON],
];

/** A fault that can be put into any callback, and that stops when the test says so. */
export class Fault {
  isOn = true;
  /** How often the program was called while it was on. */
  calls = 0;
  readonly #run: () => unknown;

  constructor(run: () => unknown) {
    this.#run = run;
  }

  /** The callback, which goes wrong while the fault is on. */
  in<Callback extends AnyFunction>(normal: Callback): Callback {
    const faulty = (...args: Parameters<Callback>): unknown => {
      if (!this.isOn) return normal(...args);
      this.calls += 1;
      return this.#run();
    };
    return faulty as unknown as Callback;
  }

  /** The same object with one of its functions going wrong. */
  of<Owner extends object>(owner: Owner, member: string): Owner {
    const normal = (Reflect.get(owner, member) as AnyFunction | undefined) ?? ((): void => {});
    const bound = normal.bind(owner) as AnyFunction;
    const faulty = this.in(bound);
    return new Proxy(owner, {
      get: (target, name) => {
        if (name === member) return faulty;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
      has: (target, name) => name === member || Reflect.has(target, name),
    });
  }

  async called(): Promise<void> {
    await until(() => this.calls > 0, 'the callback is called');
  }
}

/** Runs what has one callback go wrong. Fails when that would have ended the process. */
export async function survives(run: () => Promise<void>): Promise<void> {
  const ends: unknown[] = [];
  const note = (reason: unknown): number => ends.push(reason);
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
  try {
    await run();
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('unhandledRejection', note);
    process.off('uncaughtException', note);
  }
  expect(ends).toEqual([]);
}

/** The outcome does not matter, only that there is one. */
export async function settled(work: Promise<unknown>): Promise<void> {
  await work.catch(() => {});
}
