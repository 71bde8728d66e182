import type { Store } from 'crosspoint/stores';
import type { HostOptions } from '@crosspoint/host';
import { VERSION } from '../version.ts';
import type { Home } from './home.ts';
import { loginsOf } from './logins.ts';
import { openStore } from './open-store.ts';
import { readPolicy } from './read-policy.ts';
import { UserSecrets } from './user-secrets.ts';

/** The parts that every host of the command shares: the user's store, logins, secrets and policy. */
export interface Workplace {
  readonly hostOptions: HostOptions;
  readonly store: Store;
  close(): Promise<void>;
}

export interface WorkplaceOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Keeps a record of what led to what. */
  readonly withTimeline?: boolean | undefined;
  /** Shows an address in place of the browser. */
  readonly openUrl?: (url: URL) => void | Promise<void>;
  readonly onproblem?: (problem: Error) => void;
}

/** Opens the user's store, logins and policy. Rejects with a `CliError` where one of them cannot be used. */
export async function openWorkplace(home: Home, options: WorkplaceOptions): Promise<Workplace> {
  const { policy } = await readPolicy(home);
  const { timeline } = options.withTimeline === true ? await import('@crosspoint/host/timeline') : {};
  const opened = await openStore(home);
  return {
    hostOptions: {
      name: 'crosspoint',
      version: VERSION,
      store: opened.store,
      policy,
      folder: options.cwd,
      credentials: loginsOf(home),
      secrets: new UserSecrets(home, options.env),
      ...(timeline !== undefined && { timeline: timeline() }),
      ...(options.openUrl !== undefined && { openUrl: options.openUrl }),
      ...(options.onproblem !== undefined && { onproblem: options.onproblem }),
    },
    store: opened.store,
    close: () => opened.close(),
  };
}
