import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';

/** The tool, prompt, resource or task that an operation is about, by its name. */
export function targetOf({ params }: { readonly params: JsonObject }): string | undefined {
  const { name, uri, taskId, ref } = params;
  const found = name ?? uri ?? taskId ?? (isJsonObject(ref) ? (ref['name'] ?? ref['uri']) : undefined);
  return typeof found === 'string' ? found : undefined;
}
