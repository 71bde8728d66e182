import type { WatchedChange, WatchHandle } from 'crosspoint/client';
import { CliError } from '../../errors/cli-error.ts';
import type { ResultOf } from '../operations.ts';
import type { Work } from '../work.ts';
import { checkedRead } from './checked-results.ts';
import { aborted, connectedClient } from './connected-client.ts';
import type { ChangeEvent } from './offer-operations.ts';

export async function readResource(work: Work<'resources.read'>): Promise<ResultOf<'resources.read'>> {
  await connectedClient(work, 'resources');
  return checkedRead(await work.host.readResource(work.server, work.params.uri, { signal: work.signal }));
}

/** Tells changes until it is cancelled. Rejects where the server reports not all of them, and when the connection is lost. */
export async function watchResources(work: Work<'resources.watch'>): Promise<object> {
  const { params, signal, onevent } = work;
  const uris = [...new Set(params.uris)];
  const client = await connectedClient(work, 'resources');
  const onchange = (change: WatchedChange): void => {
    const event = eventOf(change);
    if (event !== undefined) onevent?.(event);
  };
  const handle = await client.watch(uris.length === 0 ? { resources: true } : { uris }, { onchange, signal });
  try {
    requireHonored(work.server, uris, handle);
    onevent?.({ type: 'note', text: 'Watching. Ctrl-C ends it.' });
    const end = await Promise.race([handle.closed, aborted(signal)]);
    if (end !== undefined && signal?.aborted !== true)
      throw new CliError('unreachable', `The connection to "${work.server}" was lost, so changes are no longer told.`);
    return {};
  } finally {
    await handle.close();
  }
}

function eventOf(change: WatchedChange): ChangeEvent | undefined {
  const at = new Date().toISOString();
  if (change.kind === 'resource') return { type: 'change', at, kind: 'resource', uri: change.uri };
  return change.kind === 'resources' ? { type: 'change', at, kind: 'resources' } : undefined;
}

function requireHonored(server: string, uris: readonly string[], { honored }: WatchHandle): void {
  if (uris.length === 0 && honored.resources !== true)
    throw new CliError('usage', `The server "${server}" does not report changes of its list of resources.`, {
      hint: 'It has no capability "resources.listChanged".',
    });
  const missing = uris.filter((uri) => honored.uris?.includes(uri) !== true);
  if (missing.length > 0)
    throw new CliError('usage', `The server "${server}" does not report changes of ${missing.join(', ')}.`, {
      hint: 'A server that reports changes has the capability "resources.subscribe".',
    });
}
