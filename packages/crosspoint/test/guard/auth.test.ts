import { describe, test } from 'vitest';
import { AUTH } from './auth-callbacks.ts';
import { LOGIN } from './login-callbacks.ts';
import { FAULTS, Fault, survives } from './faults.ts';

describe.each(Object.entries({ ...AUTH, ...LOGIN }))('a callback of authorization that fails: %s', (_name, drive) => {
  test.each(FAULTS)('%s', (_fault, run) => survives(() => drive(new Fault(run))));
});
