import type { Root } from '../../protocol/roots.ts';
import { rootFault } from './ask-checks.ts';
import type { TransportClient } from '../client.ts';

/** @deprecated Roots are deprecated by SEP-2577; the earliest revision without them is the first on or after 2027-07-28. */
export interface RootsOptions {
  /** Whether a root can be shown now; called on every `roots/list`. All roots are shown when absent. */
  readonly isAccessible?: (root: Root) => boolean | Promise<boolean>;
}

/**
 * The roots that a client shows to its server.
 * @deprecated Roots are deprecated by SEP-2577; the earliest revision without them is the first on or after 2027-07-28.
 */
export interface ProvidedRoots {
  readonly current: readonly Root[];
  /** Replaces the roots. Notifies the server, where it is connected and the client declared `roots.listChanged`. */
  set(roots: readonly Root[]): Promise<void>;
}

/**
 * Answers `roots/list` for a client that declared `roots`. Throws `TypeError` for a root that is no `file://` URI or climbs out of its folder.
 * @deprecated Roots are deprecated by SEP-2577; the earliest revision without them is the first on or after 2027-07-28.
 */
export function provideRoots(
  client: Pick<TransportClient, 'setRequestHandler' | 'sendRootsListChanged' | 'transport' | 'getClientCapabilities'>,
  roots: readonly Root[],
  options: RootsOptions = {},
): ProvidedRoots {
  const { isAccessible } = options;
  let current = checked(roots);
  client.setRequestHandler('roots/list', async () => {
    const shown = isAccessible === undefined ? current : await accessible(current, isAccessible);
    return { roots: [...shown] };
  });
  return {
    get current() {
      return current;
    },
    async set(next) {
      const before = JSON.stringify(current);
      current = checked(next);
      const tells = client.transport !== undefined && client.getClientCapabilities().roots?.listChanged === true;
      if (tells && JSON.stringify(current) !== before) await client.sendRootsListChanged();
    },
  };
}

function checked(roots: readonly Root[]): readonly Root[] {
  const fault = roots.map(rootFault).find((found) => found !== undefined);
  if (fault !== undefined) throw new TypeError(fault);
  return roots.map((root) => ({ ...root }));
}

async function accessible(
  roots: readonly Root[],
  isAccessible: (root: Root) => boolean | Promise<boolean>,
): Promise<Root[]> {
  const seen = await Promise.all(roots.map(async (root) => ({ root, shown: await isAccessible(root) })));
  return seen.flatMap(({ root, shown }) => (shown ? [root] : []));
}
