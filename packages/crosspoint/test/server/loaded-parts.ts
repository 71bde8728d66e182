import { KEYED_CALLS, REPLAYS, TASK_PARTS } from '../../src/server/late-parts.ts';

/** What a server loads with its first use is at hand in tests that count turns of the event loop. What it is like before: `late.test.ts`. */
export const partsLoaded: Promise<unknown> = Promise.all([KEYED_CALLS.load(), REPLAYS.load(), TASK_PARTS.load()]);
