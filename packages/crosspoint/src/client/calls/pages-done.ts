import type { TransportClient } from '../client.ts';
import { engineOf } from '../engine.ts';

/**
 * Resolves to whether the server reports all these pages finished (`notifications/elicitation/complete`), within five minutes and before the signal aborts or the
 * connection ends. For programs that show pages themselves, such as those of an error of the kind `url-elicitation-required`. Call it before the user is
 * sent to a page: an end that was told earlier is not known.
 *
 * ```ts
 * const done = pagesDone(client, ['page-1'], { signal });
 * await open(url);
 * if (await done) await client.callTool({ name: 'order' });
 * ```
 */
export async function pagesDone(
  client: TransportClient,
  elicitationIds: readonly string[],
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<boolean> {
  const { pages } = engineOf(client).answering;
  for (const elicitationId of elicitationIds) pages.expect({ mode: 'url', elicitationId });
  if (signal?.aborted) return false;
  const done = await Promise.all(elicitationIds.map((id) => pages.whenDone(id, signal)));
  return done.every(Boolean);
}
