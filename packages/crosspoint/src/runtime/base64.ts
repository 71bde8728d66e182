interface NodeBuffer {
  toString(encoding: 'base64' | 'base64url'): string;
}

/** Node's `Buffer`, where there is one: converting letter by letter takes many times as long. */
const { Buffer: NodeBuffers } = globalThis as {
  Buffer?: {
    from(bytes: ArrayBufferLike, at: number, length: number): NodeBuffer;
    from(text: string, encoding: 'base64url'): Uint8Array & NodeBuffer;
  };
};

export function toBase64(bytes: Uint8Array): string {
  if (NodeBuffers) return NodeBuffers.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  let binary = '';
  // In slices: engines limit the number of arguments of one call.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** Throws for text that is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

export function toBase64Url(bytes: Uint8Array): string {
  if (NodeBuffers) return NodeBuffers.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Throws for text that is not exactly what `toBase64Url` writes: unused bits must not make a second text for the same bytes. */
export function fromBase64Url(text: string): Uint8Array {
  const bytes = NodeBuffers?.from(text, 'base64url') ?? fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  if (toBase64Url(bytes) !== text) throw new RangeError('The text is not in its one spelling.');
  return bytes;
}
