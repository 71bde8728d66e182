import { expect, it } from 'vitest';
import { readTime } from '../../src/values/read-time.ts';

it('reads a time ago and a date, and guesses nothing', () => {
  const now = Date.parse('2026-11-16T12:00:00Z');
  expect(readTime('since', '30s', now)).toBe(now - 30_000);
  expect(readTime('since', '2h', now)).toBe(now - 7_200_000);
  expect(readTime('since', '7d', now)).toBe(Date.parse('2026-11-09T12:00:00Z'));
  expect(readTime('since', '2026-11-16')).toBe(Date.parse('2026-11-16'));
  expect(readTime('since', '2026-11-16T08:00+01:00')).toBe(Date.parse('2026-11-16T07:00:00Z'));
  for (const text of ['yesterday', '2h ago', '-2h', '2', '2026-13-01', '16.11.2026', ''])
    expect(() => readTime('since', text)).toThrow('--since must be a time such as 30m');
});
