import { describe, test } from 'vitest';
import { FAULTS, Fault, survives } from '../../../crosspoint/test/guard/faults.ts';
import { AGENT } from './agent-callbacks.ts';
import { HOST, PARTS } from './host-callbacks.ts';
import { MODELS } from './model-callbacks.ts';
import { VIEW } from './view-callbacks.ts';

/** A host waits for people, so a callback that never settles is a fault like any other. */
const ALL = [...FAULTS, ['never settles', () => new Promise(() => {})]] as typeof FAULTS;

describe.each(Object.entries({ ...HOST, ...PARTS, ...VIEW, ...MODELS, ...AGENT }))(
  'a callback of a host that fails: %s',
  (_name, drive) => {
    test.each(ALL)('%s', (fault, run) => survives(() => drive(new Fault(run), /^(throws|rejects)/.test(fault))));
  },
);
