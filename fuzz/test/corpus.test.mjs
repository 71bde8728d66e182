import { describe, expect, it } from 'vitest';
import { readCorpus, readPending } from '../engine/corpus.mjs';
import { Random } from '../engine/random.mjs';
import { replayTarget } from '../engine/supervise.mjs';
import { targets } from '../targets/index.mjs';

const corpus = readCorpus(targets);
const pending = new Set(readPending());

describe.each([...new Set(corpus.map(({ target }) => target))])('the corpus of %s', (target) => {
  const own = corpus.filter((each) => each.target === target && !pending.has(each.file));

  it('shows no fault', { timeout: 120_000 }, async () => {
    const results = await replayTarget(target, own);
    expect([...results.keys()].sort()).toEqual(own.map(({ file }) => file).sort());
    expect([...results].filter(([, faults]) => faults.length > 0)).toEqual([]);
  });
});

describe('a target', () => {
  it.each(Object.keys(targets))('%s makes the same case of the same seed', async (name) => {
    const instance = await targets[name].start();
    const make = () =>
      Array.from({ length: 20 }, (_, index) => instance.generate(new Random(`1 ${name} ${index}`), index));
    expect(JSON.stringify(make())).toBe(JSON.stringify(make()));
    await instance.stop?.();
  });
});

it('every name of pending.json is in the corpus', () => {
  expect([...pending].filter((name) => !corpus.some(({ file }) => file === name))).toEqual([]);
});
