import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import type { SpokenRevisions } from '../../revisions/selection.ts';

/** Refuses a handler whose capability is not declared: clients could never reach it, and would get "method not found". */
export function refuseUndeclared(method: string, spoken: SpokenRevisions, capabilities: ServerCapabilities): void {
  const needs = spoken.all.map((revision) => revision.methods.get(method)?.needs).find((path) => path !== undefined);
  const feature = needs?.split('.')[0];
  if (feature === undefined || Object.hasOwn(capabilities, feature)) return;
  throw new TypeError(`To handle ${method}, declare capabilities: { ${feature}: {} } on the server first.`);
}
