import type { Client, RequestOptions } from 'crosspoint/client';
import type { Listing } from '../catalogue/listing.ts';
import { asError } from '../values/guard.ts';

/** A listing, and the lists that could not be read. */
export interface ReadListing {
  readonly listing: Listing;
  readonly failures: readonly Error[];
}

const NOTHING: Listing = { tools: [], prompts: [], resources: [], templates: [] };

/**
 * Reads every page of every list that the server has. A list that fails keeps the items of `before` and is reported; the others are not hurt
 * by it.
 */
export async function readListing(
  client: Client,
  options: RequestOptions,
  before: Listing = NOTHING,
): Promise<ReadListing> {
  const has = client.getServerCapabilities() ?? {};
  const failures: Error[] = [];
  const read = async <Item>(
    what: string,
    isOffered: boolean,
    list: () => Promise<readonly Item[]>,
    last: readonly Item[],
  ): Promise<readonly Item[]> => {
    if (!isOffered) return [];
    try {
      return await list();
    } catch (error) {
      const cause = asError(error);
      failures.push(new Error(`Its ${what} cannot be listed: ${cause.message}`, { cause }));
      return last;
    }
  };
  const [tools, prompts, resources, templates] = await Promise.all([
    read('tools', has.tools !== undefined, async () => (await client.listTools({}, options)).tools, before.tools),
    read(
      'prompts',
      has.prompts !== undefined,
      async () => (await client.listPrompts({}, options)).prompts,
      before.prompts,
    ),
    read(
      'resources',
      has.resources !== undefined,
      async () => (await client.listResources({}, options)).resources,
      before.resources,
    ),
    read('templates', has.resources !== undefined, () => listTemplates(client, options), before.templates),
  ]);
  const instructions = client.getInstructions();
  return {
    listing: { tools, prompts, resources, templates, ...(instructions !== undefined && { instructions }) },
    failures,
  };
}

/** Servers written before templates were common refuse the method; they have none. */
async function listTemplates(client: Client, options: RequestOptions): Promise<Listing['templates']> {
  try {
    return (await client.listResourceTemplates({}, options)).resourceTemplates;
  } catch (error) {
    if (error instanceof Error && 'kind' in error && error.kind === 'method-not-found') return [];
    throw error;
  }
}
