import { describe, test } from 'vitest';
import { CLIENT, OBSERVERS } from './client-callbacks.ts';
import { FAULTS, Fault, survives } from './faults.ts';

describe.each(Object.entries({ ...CLIENT, ...OBSERVERS }))('a callback of a client that fails: %s', (_name, drive) => {
  test.each(FAULTS)('%s', (_fault, run) => survives(() => drive(new Fault(run))));
});
