import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePolicy, type HostOptions } from '@crosspoint/host';
import { CliError } from '../errors/cli-error.ts';
import { VERSION } from '../version.ts';
import { openStoreFile } from './store-file.ts';
import type { Home } from './home.ts';
import { loginsOf } from './logins.ts';

/** The parts that every host of the command shares: the user's store, logins and policy. */
export interface Workplace {
  readonly hostOptions: HostOptions;
  close(): Promise<void>;
}

export interface WorkplaceOptions {
  readonly cwd: string;
  /** Folders that servers may be told of. */
  readonly roots?: readonly string[];
  /** Shows an address in place of the browser. */
  readonly openUrl?: (url: URL) => void | Promise<void>;
  readonly onproblem?: (problem: Error) => void;
}

/** Opens the user's store, logins and policy. Rejects with a `CliError` where one of them cannot be used. */
export async function openWorkplace(home: Home, options: WorkplaceOptions): Promise<Workplace> {
  const policy = await readPolicy(home.policyFile);
  await mkdir(home.stateFolder, { recursive: true, mode: 0o700 });
  const file = join(home.stateFolder, 'host.db');
  const opened = await openStoreFile(file).catch((error: unknown) => {
    throw new CliError('internal', `The store ${file} cannot be opened.`, { cause: error });
  });
  return {
    hostOptions: {
      name: 'crosspoint',
      version: VERSION,
      store: opened.store,
      policy,
      folder: options.cwd,
      credentials: loginsOf(home),
      ...(options.openUrl !== undefined && { openUrl: options.openUrl }),
      ...(options.onproblem !== undefined && { onproblem: options.onproblem }),
    },
    close: () => opened.close(),
  };
}

async function readPolicy(file: string): Promise<NonNullable<HostOptions['policy']>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CliError('usage', `The policy ${file} cannot be read (${error.code ?? error.message}).`);
  });
  if (text === undefined) return {};
  try {
    return parsePolicy(text);
  } catch (error) {
    throw new CliError(
      'usage',
      `The policy ${file} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      {
        hint: 'crosspoint policy check tells what is wrong with it. Until it is right, nothing is called.',
        cause: error,
      },
    );
  }
}
