/** Keys of `_meta`: the ones the protocol defines, and the grammar of all others. */

export const META_PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
export const META_CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
export const META_CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
export const META_SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
export const META_LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
export const META_SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
/** `{ taskId }` on every message that belongs to a task of the older generation. */
export const META_RELATED_TASK = 'io.modelcontextprotocol/related-task';
/** The text that a model may be shown at once when its call became a task of the older generation. */
export const META_IMMEDIATE_RESPONSE = 'io.modelcontextprotocol/model-immediate-response';

/** Crosspoint's own key: a text that the client chose for a call. The same text means the same call. */
export const META_IDEMPOTENCY_KEY = 'dev.crosspoint/idempotencyKey';
/** On a call that is sent again: the milliseconds since it was first sent. */
export const META_FIRST_SENT_AGO = 'dev.crosspoint/firstSentAgoMs';
/** On a task of the newer generation, which has no progress messages: its last progress, as `{ progress, total?, message? }`. */
export const META_TASK_PROGRESS = 'dev.crosspoint/taskProgress';
/** The experimental capability by which a server declares that it remembers calls with a key. */
export const IDEMPOTENCY_CAPABILITY = 'dev.crosspoint/idempotency';

const LABEL = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/** The dot-separated labels before the slash; `undefined` for a key without prefix. */
export function metaKeyLabels(key: string): string[] | undefined {
  const slash = key.indexOf('/');
  return slash === -1 ? undefined : key.slice(0, slash).split('.');
}

/** `[labels "/"] name`: labels start with a letter and end with a letter or digit; a name may be empty only after a prefix. */
export function isValidMetaKey(key: string): boolean {
  const labels = metaKeyLabels(key);
  if (labels === undefined) return NAME.test(key);
  if (!labels.every((label) => LABEL.test(label))) return false;
  const name = key.slice(key.indexOf('/') + 1);
  return name === '' || NAME.test(name);
}

/** An extension identifier is a `_meta` key that always has a prefix and a name. */
export function isValidExtensionId(id: string): boolean {
  return id.includes('/') && !id.endsWith('/') && isValidMetaKey(id);
}
