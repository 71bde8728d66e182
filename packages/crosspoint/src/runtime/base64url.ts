import { fromBase64, toBase64 } from './base64.ts';

interface NodeBuffer {
  toString(encoding: 'base64url'): string;
}

/** Node's `Buffer`, where there is one: a conversion character by character takes many times as long. */
const { Buffer: NodeBuffers } = globalThis as {
  Buffer?: {
    from(bytes: ArrayBufferLike, at: number, length: number): NodeBuffer;
    from(text: string, encoding: 'base64url'): Uint8Array & NodeBuffer;
  };
};

export function toBase64Url(bytes: Uint8Array): string {
  if (NodeBuffers) return NodeBuffers.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Throws for text that is not exactly what `toBase64Url` writes: unused bits must not make a second text for the same bytes. */
export function fromBase64Url(text: string): Uint8Array {
  const bytes = NodeBuffers?.from(text, 'base64url') ?? fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  if (toBase64Url(bytes) !== text) throw new RangeError('The text is not canonical base64url.');
  return bytes;
}
