import { isJsonObject, type JSONRPCRequest } from '../jsonrpc/message.ts';
import { META_PROTOCOL_VERSION } from '../protocol/meta.ts';
import { revision20241105 } from './2024-11-05/index.ts';
import { revision20250326 } from './2025-03-26/index.ts';
import { revision20250618 } from './2025-06-18/index.ts';
import { revision20251125 } from './2025-11-25/index.ts';
import { revision20260728 } from './2026-07-28/index.ts';
import type { Family, Revision } from './revision.ts';

/** All revisions, newest first. */
export const revisions: readonly Revision[] = [
  revision20260728,
  revision20251125,
  revision20250618,
  revision20250326,
  revision20241105,
];

/** The revision of an HTTP request when neither the request nor a session names one: the last revision without a version header. */
export const assumedRevision: Revision = revision20250326;

const byId: ReadonlyMap<string, Revision> = new Map(revisions.map((revision) => [revision.id, revision]));

/** Finds a revision by its id. Ids are opaque and compared as a whole. */
export function findRevision(id: string): Revision | undefined {
  return byId.get(id);
}

/** The first revision of the family; `among` is in order of preference. */
export function newestOf(family: Family, among: readonly Revision[] = revisions): Revision | undefined {
  return among.find((revision) => revision.family === family);
}

/** The version that a message names, of any type; `undefined` when it names none and the session decides. */
export function claimedVersion(request: JSONRPCRequest): unknown {
  const meta = request.params?.['_meta'];
  return isJsonObject(meta) ? meta[META_PROTOCOL_VERSION] : undefined;
}
