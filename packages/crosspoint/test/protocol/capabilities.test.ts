import { expect, it } from 'vitest';
import { hasCapability } from '../../src/protocol/capabilities.ts';

it.each([
  [{ tools: {} }, 'tools', true],
  [{ resources: { subscribe: true } }, 'resources.subscribe', true],
  [{ elicitation: { url: {} } }, 'elicitation.url', true],
  [{ resources: { subscribe: false } }, 'resources.subscribe', false],
  [{ resources: {} }, 'resources.subscribe', false],
  [{}, 'tools', false],
  [{}, 'resources.subscribe', false],
  [{ tools: undefined }, 'tools', false],
  [{ tools: null }, 'tools', false],
  [{ tools: 'yes' }, 'tools.listChanged', false],
  [{}, 'constructor', false],
  [{ tools: {} }, 'tools.__proto__', false],
])('of %j, %s is %s', (capabilities, path, present) => {
  expect(hasCapability(capabilities, path)).toBe(present);
});
