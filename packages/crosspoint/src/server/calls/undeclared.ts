import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import type { SpokenRevisions } from '../../revisions/selection.ts';

/** A handler that nobody could reach is a mistake to be told of now, not a "method not found" later. */
export function refuseUndeclared(method: string, spoken: SpokenRevisions, capabilities: ServerCapabilities): void {
  const needs = spoken.all.map((revision) => revision.methods.get(method)?.needs).find((path) => path !== undefined);
  const feature = needs?.split('.')[0];
  if (feature === undefined || Object.hasOwn(capabilities, feature)) return;
  throw new TypeError(`To handle ${method}, declare capabilities: { ${feature}: {} } on the server first.`);
}
