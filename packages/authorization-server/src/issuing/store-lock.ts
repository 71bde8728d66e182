import type { Store } from 'crosspoint/server';

const LOCK_MS = 15_000;
const POLL_MS = 100;

/** Runs `run` while no other node runs it under the same name. A second caller waits for the first to finish; throws after 15 s. */
export async function withStoreLock<T>(store: Store, what: string, run: () => Promise<T>): Promise<T> {
  const key = `alone:${what}`;
  const until = Date.now() + LOCK_MS;
  let version = await store.put(key, 1, { ifVersion: null, ttlMs: LOCK_MS });
  while (version === undefined) {
    if (Date.now() > until) throw new Error(`The lock ${what} has been held for longer than ${LOCK_MS} ms.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    version = await store.put(key, 1, { ifVersion: null, ttlMs: LOCK_MS });
  }
  try {
    return await run();
  } finally {
    await store.delete(key, version);
  }
}
