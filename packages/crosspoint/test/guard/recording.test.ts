import { describe, test } from 'vitest';
import { FAULTS, Fault, survives } from './faults.ts';
import { RECORDING } from './recording-callbacks.ts';

describe.each(Object.entries(RECORDING))('a callback of a recording that fails: %s', (_name, drive) => {
  test.each(FAULTS)('%s', (_fault, run) => survives(() => drive(new Fault(run))));
});
