import type { Client, ServerCapabilities } from 'crosspoint/client';
import type { Host } from '@crosspoint/host';
import { CliError } from '../../errors/cli-error.ts';
import { missingCapability } from '../required-capability.ts';

interface Place {
  readonly host: Host;
  readonly server: string;
  readonly signal?: AbortSignal | undefined;
}

/** The client of the server, when it is connected. Rejects where the server has not declared the capability. */
export async function connectedClient(
  { host, server, signal }: Place,
  capability?: keyof ServerCapabilities,
): Promise<Client> {
  const found = host.servers.get(server);
  if (found === undefined) throw new CliError('usage', `There is no server "${server}".`);
  const client = await found.ready(signal);
  if (capability !== undefined && client.getServerCapabilities()?.[capability] === undefined)
    throw missingCapability(server, capability);
  return client;
}

/** Resolves when the signal aborts; never without one. */
export function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    else signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}
