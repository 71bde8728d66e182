import { isJsonObject, redactText, toBase64 } from 'crosspoint/internal';
import type { CallToolResult, ContentBlock } from 'crosspoint';
import { isJsonType } from './body.ts';

/** Characters of an error's text that are shown. */
const SHOWN = 4000;

/** Turns an HTTP response of the API into a tool result. An error becomes a tool error with its status and the beginning of its text. */
export async function resultOf(response: Response, name: string, isStructured: boolean): Promise<CallToolResult> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!response.ok) {
    const words = isText(type) ? redactText(decode(bytes).slice(0, SHOWN)) : '';
    return { content: [text(`HTTP ${response.status}${words === '' ? '' : `\n${words}`}`)], isError: true };
  }
  if (bytes.byteLength === 0) return { content: [text(`HTTP ${response.status}, without content.`)] };
  if (!isText(type)) return { content: [binary(bytes, type, name)] };
  const words = decode(bytes);
  const value = isJsonType(type) || (type === '' && isStructured) ? parsed(words) : undefined;
  return {
    content: [text(words)],
    ...(isStructured && isJsonObject(value) && { structuredContent: value }),
  };
}

function isText(type: string): boolean {
  return (
    type === '' ||
    type.startsWith('text/') ||
    isJsonType(type) ||
    /^application\/(?:[\w.+-]+\+)?(?:xml|yaml|x-ndjson|x-www-form-urlencoded|javascript|graphql)$/.test(type)
  );
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function parsed(words: string): unknown {
  try {
    return JSON.parse(words) as unknown;
  } catch {
    return undefined;
  }
}

function text(words: string): ContentBlock {
  return { type: 'text', text: words };
}

function binary(bytes: Uint8Array, mimeType: string, name: string): ContentBlock {
  const data = toBase64(bytes);
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource: { uri: `openapi:${name}`, mimeType, blob: data } };
}
