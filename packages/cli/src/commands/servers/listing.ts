import { visibleLine } from '@crosspoint/host';
import { describeTarget, TrustBook, type Problem, type ServerEntry, type TrustState } from '@crosspoint/host/config';
import type { Colours } from '../../output/colours.ts';
import { tableText } from '../../output/table.ts';
import { withStore } from '../../place/open-store.ts';
import type { TargetPlace } from '../../target/find-target.ts';
import { readUserConfiguration } from '../../target/user-configuration.ts';

/** A configured server as commands show it. No secret is in it. */
export interface ListedServer {
  readonly name: string;
  readonly target: string;
  readonly warnings: readonly string[];
  readonly format: string;
  readonly scope: string;
  readonly file: string;
  /** `own`: a file of the user or of the machine, which needs no trust. */
  readonly trust: 'own' | TrustState;
  readonly isDisabled: boolean;
  /** Why another one is used in its place. */
  readonly shadowed?: { readonly by?: string; readonly why: string };
}

export interface ListedServers {
  readonly servers: readonly ListedServer[];
  readonly problems: readonly Problem[];
}

/** Every configured server, those that are not used last. */
export async function listServers(place: Pick<TargetPlace, 'home' | 'cwd' | 'env'>): Promise<ListedServers> {
  const { entries, shadowed, problems } = await readUserConfiguration(place);
  return withStore(place.home, async (store) => {
    const trust = new TrustBook(store);
    const used = await Promise.all(entries.map((entry) => listed(entry, trust)));
    const unused = await Promise.all(
      shadowed.map(async ({ entry, by, why }) => ({
        ...(await listed(entry, trust)),
        shadowed: { ...(by?.origin.file !== undefined && { by: by.origin.file }), why },
      })),
    );
    return { servers: [...used, ...unused], problems };
  });
}

async function listed(entry: ServerEntry, trust: TrustBook): Promise<ListedServer> {
  const { format, scope, file = '' } = entry.origin;
  const { target, warnings } = describeTarget(entry.reach);
  return {
    name: entry.name,
    target,
    warnings,
    format,
    scope,
    file,
    trust: scope === 'project' ? await trust.stateOf(entry.origin) : 'own',
    isDisabled: entry.isDisabled === true,
  };
}

const TRUST_WORDS: Readonly<Record<ListedServer['trust'], string>> = {
  own: '',
  trusted: 'trusted',
  unknown: 'not trusted',
  changed: 'changed since it was trusted',
};

export function serversText({ servers }: ListedServers, configFile: string, { bold, dim, yellow }: Colours): string {
  if (servers.length === 0)
    return `No server is configured. crosspoint servers add and servers import write to ${configFile}.`;
  return tableText(
    servers.map(({ name, target, scope, file, trust, isDisabled, shadowed }) => {
      const state = [TRUST_WORDS[trust], isDisabled ? 'disabled' : '', shadowed === undefined ? '' : 'not used'];
      const words = state.filter((word) => word !== '').join(', ');
      return [bold(visibleLine(name)), yellow(words), dim(`${scope}: ${visibleLine(file)}`), target];
    }),
  );
}
