import type { ServerCapabilities } from 'crosspoint/client';
import { CliError } from '../errors/cli-error.ts';
import type { OpenServer } from './open-server.ts';

/** Rejects where the server has not declared the capability. Nothing else is sent then. */
export async function requireCapability(server: OpenServer, capability: keyof ServerCapabilities): Promise<void> {
  const { capabilities } = await server.request('show', {});
  if (capabilities[capability] === undefined) throw missingCapability(server.name, capability);
}

export function missingCapability(server: string, capability: string): CliError {
  return new CliError('usage', `The server "${server}" does not offer this: it has no capability "${capability}".`, {
    hint: 'crosspoint show SERVER lists its capabilities.',
  });
}
