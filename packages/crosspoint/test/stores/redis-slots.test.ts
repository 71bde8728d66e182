import { describe, expect, test } from 'vitest';
import * as scripts from '../../src/stores/redis/redis-scripts.ts';
import { RedisSlots } from '../../src/stores/redis/redis-slots.ts';

const slots = new RedisSlots('{crosspoint}:', 256);
const at = (key: string): string => slots.of(key).prefix;

describe('the slots of a Redis store', () => {
  test('are one for all that belongs to a session, a task or a caller', () => {
    const session = ['session:5b1-x', 'events:5b1-x', 'standing:5b1-x'].map(at);
    const task = ['task:r:9c-2', 'task:x:9c-2', 'task:s:9c-2:pay', 'task:s:9c-2:a:b', 'task:q:9c-2:k'].map(at);
    const caller = ['task:w:Kq3:9c-2', 'task:l:Kq3:0000000000000001:9c-2', 'limit:Kq3'].map(at);
    for (const keys of [session, task, caller]) expect(new Set(keys).size).toBe(1);
    expect(new Set([...session, ...task, ...caller]).size).toBe(3);
  });

  test('that a prefix may be in are one if it names the owner to the end, and all otherwise', () => {
    for (const prefix of ['task:s:9c-2:', 'task:s:9c-2:pa', 'task:w:Kq3:', 'host:trust:7:'])
      expect(slots.ofPrefix(prefix)).toEqual([slots.of(`${prefix}more:of:it`)]);
    for (const prefix of ['', 'session', 'session:', 'session:5b1', 'task:w:', 'task:w:Kq', 'task:l:none:', 'x:'])
      expect(slots.ofPrefix(prefix)).toBe(slots.all);
  });

  test.each([2, 3, 256, 16_384])('are in %d equal ranges, one in each', (count) => {
    const all = new RedisSlots('{shop}:', count).all.map(({ prefix }) => prefix);
    expect(new Set(all).size).toBe(count);
    expect(all.every((prefix) => /^\{shop:\d+\}:$/.test(prefix))).toBe(true);
  });

  test('take owners evenly', () => {
    const counts = new Map<string, number>();
    for (let index = 0; index < 25_600; index += 1) {
      const prefix = at(`session:${crypto.randomUUID()}`);
      counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
    expect(counts.size).toBe(256);
    expect(Math.max(...counts.values())).toBeLessThan(160);
  });

  test('of a single server are one, with the prefix as it is', () => {
    const one = new RedisSlots('{crosspoint}:', 1);
    expect(one.all.map(({ prefix }) => prefix)).toEqual(['{crosspoint}:']);
    expect([one.of('session:5b1-x'), ...one.ofPrefix('task:w:')]).toEqual([one.all[0], one.all[0]]);
  });

  test('keep a prefix without braces together too', () => {
    expect(new RedisSlots('shop', 2).all.every(({ prefix }) => /^\{shop:\d+\}:$/.test(prefix))).toBe(true);
  });

  test.each([0, -1, 1.5, 16_385, Number.NaN])('cannot be %d', (count) => {
    expect(() => new RedisSlots('{crosspoint}:', count)).toThrow(/from 1 to 16384/);
  });

  test('are all that a script touches: its keys are given, not made', () => {
    for (const [name, text] of Object.entries(scripts)) {
      const calls = [...text.matchAll(/redis\.call\('([A-Z]+)'(?:, ([^,)]+))?/g)];
      expect(calls.length, name).toBeGreaterThan(0);
      for (const [, command, key] of calls)
        if (command !== 'TIME') expect(key, `${name}: ${command}`).toMatch(/^KEYS\[\d\]$/);
    }
  });
});
