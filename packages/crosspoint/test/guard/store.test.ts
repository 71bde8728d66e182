import { describe, test } from 'vitest';
import { FAULTS, Fault, survives } from './faults.ts';
import { STORE } from './store-callbacks.ts';

describe.each(Object.entries(STORE))('a store that fails: %s', (_name, drive) => {
  test.each(FAULTS)('%s', (_fault, run) => survives(() => drive(new Fault(run))));
});
