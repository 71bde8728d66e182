import type { Client, RequestOptions } from 'crosspoint/client';
import type { Listing } from '../catalogue/listing.ts';
import { asError } from '../values/guard.ts';
import { isObject, type JsonObject } from '../values/json.ts';

/** A listing, and what is wrong with it. */
export interface ReadListing {
  readonly listing: Listing;
  /** Lists that could not be read. */
  readonly failures: readonly Error[];
  /** Lists that hold items of another form, which are left out. */
  readonly faults: readonly Error[];
}

const NOTHING: Listing = { tools: [], prompts: [], resources: [], templates: [] };

type Lists = Omit<Listing, 'instructions'>;

/** Whether an item has the members that everything else relies on. */
const IS_ITEM: { readonly [Name in keyof Lists]: (item: JsonObject) => boolean } = {
  tools: ({ name, inputSchema }) => typeof name === 'string' && isObject(inputSchema),
  prompts: ({ name }) => typeof name === 'string',
  resources: ({ name, uri }) => typeof name === 'string' && typeof uri === 'string',
  templates: ({ name, uriTemplate }) => typeof name === 'string' && typeof uriTemplate === 'string',
};

/**
 * Reads every page of every list that the server has. A list that fails keeps the items of `before` and is reported, and an item that is none is
 * left out; the others are not hurt by it.
 */
export async function readListing(
  client: Client,
  options: RequestOptions,
  before: Listing = NOTHING,
): Promise<ReadListing> {
  const has = client.getServerCapabilities() ?? {};
  const failures: Error[] = [];
  const faults: Error[] = [];
  const read = async <Name extends keyof Lists>(
    what: Name,
    isOffered: boolean,
    list: () => Promise<Lists[Name]>,
  ): Promise<Lists[Name]> => {
    if (!isOffered) return [];
    try {
      const items: readonly unknown[] = await list();
      const kept = items.filter((item) => isObject(item) && IS_ITEM[what](item));
      const left = items.length - kept.length;
      if (left > 0)
        faults.push(new Error(`Of its ${what}, ${left} of ${items.length} have another form and are left out.`));
      return kept as unknown as Lists[Name];
    } catch (error) {
      const cause = asError(error);
      failures.push(new Error(`Its ${what} cannot be listed: ${cause.message}`, { cause }));
      return before[what];
    }
  };
  const hasResources = has.resources !== undefined;
  const [tools, prompts, resources, templates] = await Promise.all([
    read('tools', has.tools !== undefined, async () => (await client.listTools({}, options)).tools),
    read('prompts', has.prompts !== undefined, async () => (await client.listPrompts({}, options)).prompts),
    read('resources', hasResources, async () => (await client.listResources({}, options)).resources),
    read('templates', hasResources, () => listTemplates(client, options)),
  ]);
  const instructions = client.getInstructions();
  return {
    listing: { tools, prompts, resources, templates, ...(instructions !== undefined && { instructions }) },
    failures,
    faults,
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
