import { describe, test } from 'vitest';
import { FAULTS, Fault, survives } from './faults.ts';
import { SERVER } from './server-callbacks.ts';

describe.each(Object.entries(SERVER))('a callback of a server that fails: %s', (_name, drive) => {
  test.each(FAULTS)('%s', (_fault, run) => survives(() => drive(new Fault(run))));
});
