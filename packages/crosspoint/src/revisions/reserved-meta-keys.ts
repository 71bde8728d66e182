import { metaKeyLabels } from '../protocol/meta.ts';
import type { Revision } from './revision.ts';

/** The label of a prefix that is the protocol's own, where a revision reserves any: `io.modelcontextprotocol/`, or `modelcontextprotocol.io/` in the first that did. */
const PLACES: Readonly<Record<string, number>> = { '2026-07-28': 1, '2025-11-25': 1, '2025-06-18': -2 };

/** Whether a key of `_meta` is reserved for the protocol. */
export function isReservedMetaKey({ id }: Revision, key: string): boolean {
  const place = PLACES[id];
  const label = place === undefined ? undefined : metaKeyLabels(key)?.at(place);
  return label === 'modelcontextprotocol' || label === 'mcp';
}
