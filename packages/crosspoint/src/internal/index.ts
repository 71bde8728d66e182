/**
 * Small parts that the other packages of this repository are made of as well. They pin the version of this one, so what is here may change with any
 * release: programs import nothing of it.
 */
export { jsonSize } from '../jsonrpc/json-size.ts';
export { isJsonObject } from '../jsonrpc/message.ts';
export { oneLine } from '../jsonrpc/serialise.ts';
export { isSecretField } from '../protocol/elicitation/elicitation-form.ts';
export { cacheHintsFault, type CacheHints, type Page } from '../protocol/listing.ts';
export { MASK, redactText } from '../protocol/redaction/redact-text.ts';
export { redactBy, type Place, type RedactionRules } from '../protocol/redaction/redact.ts';
export { isSecretScalarName } from '../protocol/redaction/secret-name.ts';
export { isAbsoluteUri } from '../protocol/resources.ts';
export type { CallToolParams } from '../protocol/tools.ts';
export type { Revision } from '../revisions/revision.ts';
export type { Awaitable } from '../runtime/awaitable.ts';
export { fromBase64, toBase64 } from '../runtime/base64.ts';
export { toBase64Url } from '../runtime/base64url.ts';
export type { Bytes } from '../runtime/bytes.ts';
export { described } from '../runtime/described.ts';
export { asError, atOnce, attempt, errorMessage, report } from '../runtime/guard.ts';
export { isLoopbackName } from '../runtime/loopback.ts';
export { sha256Sync, toHex } from '../runtime/sha256-sync.ts';
export { sha256Base64Url, sha256Hex } from '../runtime/sha256.ts';
export type { HandledRequest, RequestHandler } from '../server/calls/handler.ts';
export { asJson } from '../stores/store.ts';
export { DEFAULT_MAX_MESSAGE_BYTES, LineSplitter, type BadLine } from '../wire/ndjson.ts';
