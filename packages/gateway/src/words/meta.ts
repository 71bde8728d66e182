type JsonObject = Record<string, unknown>;

/** `{ taskId }` on messages that belong to a task of the older generation. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** Keys of `_meta` that speak of one hop: they are made anew on the next. */
const OF_ONE_HOP: readonly string[] = [
  'progressToken',
  RELATED_TASK,
  ...['protocolVersion', 'clientCapabilities', 'clientInfo', 'serverInfo', 'logLevel', 'subscriptionId'].map(
    (name) => `io.modelcontextprotocol/${name}`,
  ),
];

/** Params or a result without the `_meta` of the hop it came over; all other keys stay. */
export function withoutHop<T extends object>(value: T): T {
  if (!isObject((value as JsonObject)['_meta'])) return value;
  const { _meta, ...rest } = value as JsonObject & { _meta: JsonObject };
  const kept = Object.entries(_meta).filter(([key]) => !OF_ONE_HOP.includes(key));
  return (kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) }) as T;
}

/** The task that a message of the older generation belongs to. */
export function relatedTask(meta: unknown): string | undefined {
  const related = isObject(meta) ? meta[RELATED_TASK] : undefined;
  return isObject(related) && typeof related['taskId'] === 'string' ? related['taskId'] : undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
