import { ownerKey } from './caller.ts';
import type { ServerContext } from '../calls/context.ts';

/** The caller that records left behind by a call count for. */
export function leftBy(ctx: Pick<ServerContext, 'owner'>): string {
  return ownerKey(ctx.owner);
}

/**
 * The same for records that keep a call from running twice, such as the outcome of a call with a key. They count apart, so that other data of the
 * caller, however much, does not push them out.
 */
export function reliedOnBy(ctx: Pick<ServerContext, 'owner'>): string {
  return `once:${ownerKey(ctx.owner)}`;
}
