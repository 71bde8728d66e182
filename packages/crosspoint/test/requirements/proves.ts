import { describe, it, TestRunner, type TestAPI, type TestOptions } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** The ids of the requirements that the test proves. The JSON report has them, and `npm run requirements` counts them. */
    requirements?: readonly string[];
  }
}

/** `it` of vitest, in the forms that the tests use. */
interface CitingTest {
  (title: string, body: () => unknown, timeout?: number): void;
  (title: string, options: TestOptions, body: () => unknown): void;
  readonly each: TestAPI['each'];
  skipIf(condition: boolean): CitingTest;
}

interface Citing {
  readonly it: CitingTest;
  readonly test: CitingTest;
  /** Every test in the group proves the requirements. */
  describe(title: string, body: () => void): void;
}

/**
 * Cites requirements: `proves('L-TOOLS-005, M-TOOL-008').test('refuses duplicate names', …)`.
 * Cite a requirement only if the test would fail without it.
 */
export function proves(ids: string): Citing {
  // Vitest lets the `meta` of a test take the place of its group's, so the group's ids are repeated.
  const ofGroup = TestRunner.getCurrentSuite().options?.meta?.requirements ?? [];
  const meta = { requirements: [...new Set([...ofGroup, ...idsIn(ids)])] };
  const test = citing(it, meta);
  return { it: test, test, describe: (title, body) => void describe(title, { meta }, body) };
}

/** The ids in a list such as `L-TOOLS-005, M-TOOL-008`. */
export function idsIn(list: string): string[] {
  return list.split(/[\s,]+/).filter((id) => id !== '');
}

function citing(api: Pick<TestAPI, 'each' | 'skipIf'> & Register, meta: TestOptions['meta']): CitingTest {
  const register: Register = (title, ...rest) => api(title, ...withMeta(rest, meta));
  return Object.assign(register, {
    each: ((...cases: [never[]]) =>
      (title: string, ...rest: unknown[]) =>
        (api.each(...cases) as Register)(title, ...withMeta(rest, meta))) as TestAPI['each'],
    skipIf: (condition: boolean) => citing(api.skipIf(condition) as TestAPI, meta),
  });
}

type Register = (title: string, ...rest: any[]) => void;

/** Adds to the arguments after the title: a function and perhaps a timeout, or options and a function. */
function withMeta([first, second]: unknown[], meta: TestOptions['meta']): unknown[] {
  if (typeof first !== 'function') return [{ ...(first as TestOptions), meta }, second];
  return [{ ...(typeof second === 'number' && { timeout: second }), meta }, first];
}
