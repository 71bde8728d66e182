import { expect, it } from 'vitest';
import { displayName, effectiveAnnotations, isRecommendedToolName } from '../../src/protocol/tools.ts';
import { proves } from '../requirements/proves.ts';

proves('L-TOOLS-034').describe('effectiveAnnotations', () => {
  const defaults = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

  it('fills in the defaults', () => {
    expect(effectiveAnnotations({})).toEqual(defaults);
    expect(effectiveAnnotations({ annotations: { title: 'x' } })).toEqual(defaults);
  });

  it('keeps what the server said', () => {
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    expect(effectiveAnnotations({ annotations })).toEqual(annotations);
  });
});

proves('L-TOOLS-035').it.each([
  [{ name: 'n', title: 't', annotations: { title: 'a' } }, 't'],
  [{ name: 'n', annotations: { title: 'a' } }, 'a'],
  [{ name: 'n', annotations: {} }, 'n'],
  [{ name: 'n' }, 'n'],
])('the display name of %j is %s', (item, name) => {
  expect(displayName(item)).toBe(name);
});

it.each([
  ['get_user.v2-beta', true],
  ['A', true],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['', false],
  ['two words', false],
  ['a/b', false],
  ['ä', false],
  ['a\n', false],
])('isRecommendedToolName(%j) is %s', (name, recommended) => {
  expect(isRecommendedToolName(name)).toBe(recommended);
});
