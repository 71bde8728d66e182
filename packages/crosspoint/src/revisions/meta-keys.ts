import { isJsonObject, isRequestId, type JsonObject, type RequestId } from '../jsonrpc/message.ts';
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_PROTOCOL_VERSION,
  META_SERVER_INFO,
  META_SUBSCRIPTION_ID,
  metaKeyLabels,
} from '../protocol/meta.ts';
import { without } from './reducer.ts';

const dropEnvelopeKeys = without(
  META_PROTOCOL_VERSION,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_SERVER_INFO,
  META_SUBSCRIPTION_ID,
);
const dropMeta = without('_meta');

/** Params or a result without the `_meta` keys that only the per-request family has, and without the `_meta` they leave empty. */
export function withoutEnvelope(value: JsonObject): JsonObject {
  const meta = value['_meta'];
  if (!isJsonObject(meta)) return value;
  const kept = dropEnvelopeKeys(meta);
  if (kept === meta) return value;
  return Object.keys(kept).length === 0 ? dropMeta(value) : { ...value, _meta: kept };
}

function isOwnName(label: string | undefined): boolean {
  return label === 'modelcontextprotocol' || label === 'mcp';
}

/** Reserved when the second label is the protocol's: `io.modelcontextprotocol/`, `com.mcp.tools/`. */
export function isReservedBySecondLabel(key: string): boolean {
  return isOwnName(metaKeyLabels(key)?.[1]);
}

/** Reserved when the last label but one is the protocol's: `modelcontextprotocol.io/`, `api.mcp.dev/`. */
export function isReservedByLastLabelButOne(key: string): boolean {
  return isOwnName(metaKeyLabels(key)?.at(-2));
}

export function isNeverReserved(): boolean {
  return false;
}

/** The progress token in a `_meta` value of any type; `undefined` for a value that is no token. */
export function progressTokenIn(meta: unknown): RequestId | undefined {
  if (!isJsonObject(meta)) return undefined;
  const token = meta['progressToken'];
  return isRequestId(token) ? token : undefined;
}
