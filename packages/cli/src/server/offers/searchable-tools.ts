import { CliError } from '../../errors/cli-error.ts';
import type { ResultOf } from '../operations.ts';
import type { Work } from '../work.ts';

/** The tools of the server, and which of them the host's own search would not find. */
export async function searchableTools({
  host,
  server,
}: Work<'tools.searchable'>): Promise<ResultOf<'tools.searchable'>> {
  await host.servers.get(server)?.listed();
  const { listing } = host.servers.get(server) ?? {};
  if (listing === undefined) throw new CliError('unreachable', `The server "${server}" has not listed what it offers.`);
  const { ToolSearch } = await import('@crosspoint/host/search');
  const search = new ToolSearch(host);
  try {
    const checked = await Promise.all(
      host.catalogue.toolsOf(server).map(async (one) => ((await search.isVisible(one)) ? [] : [one.tool.name])),
    );
    const { instructions } = host.catalogue.listingOf(server) ?? {};
    return { tools: listing.tools, ...(instructions !== undefined && { instructions }), hidden: checked.flat() };
  } finally {
    search.close();
  }
}
