import { catalogueName } from '@crosspoint/host';
import { CliError } from '../errors/cli-error.ts';
import type { ResultOf } from './operations.ts';
import type { Work } from './work.ts';

export async function definitionChanges({
  host,
  server,
}: Work<'definitions.changes'>): Promise<ResultOf<'definitions.changes'>> {
  const listing = host.servers.get(server)?.listing;
  if (listing === undefined) throw new CliError('unreachable', `The server "${server}" has not listed what it offers.`);
  return { changes: await host.approvals.observe(server, listing) };
}

export async function acceptDefinitions({ host, server }: Work<'definitions.accept'>): Promise<object> {
  await host.acceptDefinitions(server);
  return {};
}

export function explainCall({ host, server, params }: Work<'policy.explain'>): Promise<ResultOf<'policy.explain'>> {
  return host.explain(catalogueName(server, params.tool), params.arguments);
}
