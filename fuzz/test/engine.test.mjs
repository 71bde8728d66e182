import { describe, expect, it } from 'vitest';
import { Random } from '../engine/random.mjs';
import { shrunk } from '../engine/shrink.mjs';
import { readOptions } from '../engine/options.mjs';
import { conduct } from '../engine/conduct.mjs';
import { fault, verdict } from '../engine/verdict.mjs';
import { hostileJson, mutated } from '../inputs/mutate.mjs';
import { textOf, valueOf } from '../inputs/text.mjs';

describe('one case', () => {
  it('that throws where nobody looks is a crash', async () => {
    const run = async () => {
      void Promise.reject(new Error('unseen'));
      return verdict('done');
    };
    const { faults } = await conduct({ run }, {}, 1000);
    expect(faults.map(({ kind }) => kind)).toEqual(['crash']);
    expect(faults[0]?.what).toContain('unseen');
  });

  it('that does not end is a hang, and one that changes every object breaks a rule', async () => {
    expect((await conduct({ run: () => new Promise(() => {}) }, {}, 10)).faults.map(({ kind }) => kind)).toEqual([
      'hang',
    ]);
    const run = async () => {
      // oxlint-disable-next-line no-extend-native -- this is what must be noticed
      Object.defineProperty(Object.prototype, 'polluted', { value: 1, configurable: true });
      return verdict('done');
    };
    const { faults } = await conduct({ run }, {}, 1000);
    delete Object.prototype.polluted;
    expect(faults.map(({ kind }) => kind)).toEqual(['broken-rule']);
  });

  it('keeps what the target says of it, of several that run together too', async () => {
    const made = verdict('seen', [fault('server-error', '500')], { answers: 2 });
    const told = { run: async () => made, after: async () => [fault('hang', 'held')] };
    const { each, faults } = await conduct(told, { together: [1, 2] }, 1000);
    expect(each).toEqual([made, made]);
    expect(faults.map(({ kind }) => kind)).toEqual(['server-error', 'server-error', 'hang']);
  });
});

it('an input is made as small as what it shows', async () => {
  const input = {
    steps: Array.from({ length: 40 }, (_, index) => ({ index, text: 'x'.repeat(500) })),
    other: [1, 2, 3],
  };
  const shows = async (smaller) => JSON.stringify(smaller).includes('"index":23');
  expect(await shrunk(input, shows)).toEqual({ steps: [{ index: 23 }] });
});

it('long inputs are written short', () => {
  expect(textOf(['a', { repeat: ['b', { repeat: 'c', times: 2 }], times: 2 }, '{{id}}', '{{none}}'], { id: '7' })).toBe(
    'abccbcc7{{none}}',
  );
  expect(textOf([{ from: 97, count: 3, step: 2 }])).toBe('ace');
  expect(
    valueOf({
      a: { $list: { of: { n: 'x#' }, times: 2 } },
      b: { $nest: { under: 'c', times: 2, core: 1 } },
      d: { $text: ['e', 'f'] },
    }),
  ).toEqual({ a: [{ n: 'x0' }, { n: 'x1' }], b: { c: { c: 1 } }, d: 'ef' });
});

it('the same seed gives the same numbers, and another other ones', () => {
  const ten = (seed) => {
    const random = new Random(seed);
    return Array.from({ length: 10 }, () => random.int(0, 1e6));
  };
  expect(ten('7 http 1')).toEqual(ten('7 http 1'));
  expect(ten('7 http 1')).not.toEqual(ten('7 http 2'));
});

it('what is spoilt stays within bounds', () => {
  for (let seed = 0; seed < 500; seed += 1) {
    const random = new Random(`bounds ${seed}`);
    const text = hostileJson(
      random,
      mutated(random, { jsonrpc: '2.0', id: 1, method: 'x', params: { a: [{ b: 'c' }] } }, 5),
    );
    expect(text.length).toBeLessThan(8_000_000);
  }
});

it('options that are none are named', () => {
  const known = ['http', 'schema'];
  expect(readOptions(['--minutes', '0.5', '--target', 'schema', '--seed', '3'], known)).toMatchObject({
    minutes: 0.5,
    names: ['schema'],
    seed: 3,
    isFresh: true,
  });
  expect(() => readOptions(['--target', 'ftp'], known)).toThrow('There is no target "ftp". There are: http, schema.');
  expect(() => readOptions(['--minutes', 'many'], known)).toThrow('--minutes takes');
  expect(() => readOptions(['--seed', 'x'], known)).toThrow('--seed takes');
});
