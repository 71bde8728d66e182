import { expect, test } from 'vitest';
import { killWriters } from '../../../../runtimes/sqlite-kills.mjs';

test('processes that share a SQLite file go on when one of them is killed, and nothing acknowledged is lost', async () => {
  const { acknowledged, ...found } = await killWriters(12);
  expect(found).toEqual({ rounds: 12, failures: [], lost: [], files: ['store.db'] });
  expect(acknowledged).toBeGreaterThan(12);
}, 120_000);
