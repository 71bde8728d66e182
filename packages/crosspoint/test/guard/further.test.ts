import { describe, test } from 'vitest';
import { FAULTS, Fault, survives } from './faults.ts';
import { FURTHER } from './further-callbacks.ts';

describe.each(Object.entries(FURTHER))('a further callback that fails: %s', (_name, drive) => {
  test.each(FAULTS)('%s', (_fault, run) => survives(() => drive(new Fault(run))));
});
