import type { Client, RequestOptions } from 'crosspoint/client';
import type { Host, Listing } from '@crosspoint/host';
import { CliError } from '../../errors/cli-error.ts';
import { connectedClient } from './connected-client.ts';

type Lists = Pick<Listing, 'tools' | 'prompts' | 'resources' | 'templates'>;

interface Place {
  readonly host: Host;
  readonly server: string;
  readonly signal?: AbortSignal | undefined;
}

const READERS: { readonly [Name in keyof Lists]: (client: Client, options: RequestOptions) => Promise<unknown> } = {
  tools: (client, options) => client.listTools({}, options),
  prompts: (client, options) => client.listPrompts({}, options),
  resources: (client, options) => client.listResources({}, options),
  templates: (client, options) =>
    client.listResourceTemplates({}, options).catch((error: unknown) => {
      // Servers that are older than templates have none.
      if (!(error instanceof Error && 'kind' in error && error.kind === 'method-not-found')) throw error;
    }),
};

/** A list of the server as it told it last, every page. Where one of its lists failed, it is read once more, so that a list that cannot be read does not pass for an empty one. */
export async function listed<Name extends keyof Lists>(place: Place, name: Name): Promise<Lists[Name]> {
  const { host, server, signal } = place;
  const found = host.servers.get(server);
  await found?.listed();
  if (found?.listing === undefined)
    throw new CliError('unreachable', `The server "${server}" has not listed what it offers.`);
  if (found.state.status === 'degraded')
    await READERS[name](await connectedClient(place), signal === undefined ? {} : { signal });
  return found.listing[name];
}
