import { expect, it } from 'vitest';
import { runChain, type Operation } from '../../src/protocol/operation.ts';
import type { Outcome } from '../../src/protocol/outcome.ts';

it('a second next() whose promise is ignored is refused, and is no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const operation = { direction: 'incoming', method: 'tools/call', params: {} } as Operation;
  const result: Outcome = { kind: 'complete', result: {} };
  let runs = 0;
  const outcome = await runChain(
    [
      (_operation, next) => {
        const first = next();
        void next();
        return first;
      },
    ],
    operation,
    async () => {
      runs += 1;
      return result;
    },
  );
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off('unhandledRejection', note);
  expect(outcome).toBe(result);
  expect(runs).toBe(1);
  expect(unhandled).toEqual([]);
});
