import { describe, test } from 'vitest';
import { FAULTS, Fault, survives } from '../../../crosspoint/test/guard/faults.ts';
import { GATEWAY } from './gateway-callbacks.ts';

describe.each(Object.entries(GATEWAY))('a callback of a bridge that fails: %s', (_name, drive) => {
  test.each(FAULTS)('%s', (_fault, run) => survives(() => drive(new Fault(run))));
});
