import { isJsonObject, isRequestId, type JsonObject, type RequestId } from '../jsonrpc/message.ts';
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_PROTOCOL_VERSION,
  META_SERVER_INFO,
  META_SUBSCRIPTION_ID,
} from '../protocol/meta.ts';
import { withMember, without } from './reducer.ts';

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

/** The progress token in a `_meta` value of any type; `undefined` for a value that is no token. */
export function progressTokenIn(meta: unknown): RequestId | undefined {
  if (!isJsonObject(meta)) return undefined;
  const token = meta['progressToken'];
  return isRequestId(token) ? token : undefined;
}

/** Params with a progress token in their `_meta`. */
export function withProgressToken(params: JsonObject, progressToken: RequestId): JsonObject {
  const own = params['_meta'];
  const _meta = isJsonObject(own) ? withMember('progressToken', progressToken, own) : { progressToken };
  // As in `withMember`, in a place of its own: a shared function sees every key and is slow for each of them.
  const written: JsonObject = '_meta' in params ? { ...params } : { _meta, ...params };
  written['_meta'] = _meta;
  return written;
}
