import type { Bytes } from '../../runtime/bytes.ts';

/** Reads a whole body; `undefined` past the limit, without waiting for the rest. */
export async function readBounded(response: Response, maxBytes: number): Promise<Bytes | undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    chunks.push(read.value);
    size += read.value.byteLength;
    if (size <= maxBytes) continue;
    void reader.cancel().catch(() => {});
    return undefined;
  }
  return joinBytes(chunks, size);
}

export function joinBytes(chunks: readonly Uint8Array[], size: number): Bytes {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
