import { isJsonObject, type JsonObject } from '../../../jsonrpc/message.ts';

/** A JSON object in a response, or why there is none. */
export type JsonAnswer =
  | { readonly kind: 'object'; readonly value: JsonObject }
  | { readonly kind: 'none'; readonly why: string };

/** Reads a response whose size is already bounded. The content type is not checked, because many servers send a wrong one. */
export async function readJsonAnswer(response: Response): Promise<JsonAnswer> {
  const text = await response.text();
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? { kind: 'object', value } : { kind: 'none', why: 'its body is JSON, but no object' };
  } catch {
    const start = text.trimStart().slice(0, 1);
    return { kind: 'none', why: start === '<' ? 'its body is a web page' : 'its body is no JSON' };
  }
}

/** Status and type, such as "200 application/json". */
export function describeAnswer(response: Response): string {
  return `${response.status} ${response.headers.get('content-type')?.split(';', 1)[0] ?? 'without a type'}`;
}

export function stringIn(value: JsonObject, name: string): string | undefined {
  const found = value[name];
  return typeof found === 'string' ? found : undefined;
}

export function stringsIn(value: JsonObject, name: string): string[] | undefined {
  const found = value[name];
  return Array.isArray(found) ? found.filter((item): item is string => typeof item === 'string') : undefined;
}

/**
 * Whether a status means that the server is unavailable, not that the document is missing. Servers answer unknown paths in many ways, 500
 * included.
 */
export function isOutOfOrder({ status }: Response): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}
