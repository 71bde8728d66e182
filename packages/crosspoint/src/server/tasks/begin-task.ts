import type { ServerContext } from '../calls/context.ts';

const starters = new WeakMap<ServerContext, () => Promise<void>>();

/** Lets a call become a task when its handler says so. Kept beside the context, which most calls have without it. */
export function letBegin(ctx: ServerContext, begin: () => Promise<void>): void {
  starters.set(ctx, begin);
}

/** Resolves at once for a call that is a task already, or cannot be one; otherwise the call ends here and its handler runs as a task. */
export async function beginTask(ctx: ServerContext): Promise<void> {
  await starters.get(ctx)?.();
}
