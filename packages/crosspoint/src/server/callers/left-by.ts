import { ownerKey } from './caller.ts';
import type { ServerContext } from '../calls/context.ts';

/** The caller for whom a record counts that a call leaves behind. */
export function leftBy(ctx: Pick<ServerContext, 'owner'>): string {
  return ownerKey(ctx.owner);
}

/**
 * The same for what must not be done twice, such as the outcome of a call with a key. It counts apart: what else the caller leaves behind, however
 * much that is, does not push it out.
 */
export function reliedOnBy(ctx: Pick<ServerContext, 'owner'>): string {
  return `once:${ownerKey(ctx.owner)}`;
}
