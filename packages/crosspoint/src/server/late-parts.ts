import type * as KeyedCalls from './idempotency/keyed-calls.ts';
import type * as Replays from './asking/replay/replays.ts';
import type * as TaskParts from './tasks/task-parts.ts';
import { LateModule, type Late } from './late.ts';

/** Calls that ask by ending, and run again. */
export const REPLAYS: Late<typeof Replays> = /* @__PURE__ */ new LateModule(() => import('./asking/replay/replays.ts'));

/** Calls with an idempotency key. */
export const KEYED_CALLS: Late<typeof KeyedCalls> = /* @__PURE__ */ new LateModule(
  () => import('./idempotency/keyed-calls.ts'),
);

/** Calls that run as tasks. */
export const TASK_PARTS: Late<typeof TaskParts> = /* @__PURE__ */ new LateModule(() => import('./tasks/task-parts.ts'));
