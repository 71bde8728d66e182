/** Image formats accepted for icons. SVG is excluded because it can contain scripts. */
export type IconType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export interface ImageFacts {
  readonly type: IconType;
  readonly width: number;
  readonly height: number;
  /** Number of frames; 1 for a still image. */
  readonly frames: number;
}

/** Reads format and size from the bytes themselves, ignoring any declaration; `undefined` for unknown formats and broken files. */
export function imageFacts(bytes: Uint8Array): ImageFacts | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return png(view) ?? jpeg(view) ?? gif(view) ?? webp(view);
  } catch (error) {
    // A read past the end: the header announces more data than there is.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function text(view: DataView, at: number, length: number): string {
  let read = '';
  for (let i = 0; i < length; i += 1) read += String.fromCharCode(view.getUint8(at + i));
  return read;
}

function png(view: DataView): ImageFacts | undefined {
  if (
    view.byteLength < 24 ||
    view.getUint32(0) !== 0x89504e47 ||
    view.getUint32(4) !== 0x0d0a1a0a ||
    text(view, 12, 4) !== 'IHDR'
  )
    return undefined;
  let frames = 1;
  for (let at = 8; at + 12 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const chunk = text(view, at + 4, 4);
    if (chunk === 'acTL') frames = view.getUint32(at + 8);
    if (chunk === 'IDAT') break;
  }
  return { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20), frames };
}

function jpeg(view: DataView): ImageFacts | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; ;) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    // The frame headers are C0 to CF, except the tables DHT, JPG and DAC.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame)
      return { type: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5), frames: 1 };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
}

function gif(view: DataView): ImageFacts | undefined {
  if (view.byteLength < 13 || !['GIF87a', 'GIF89a'].includes(text(view, 0, 6))) return undefined;
  const facts = { type: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) } as const;
  let frames = 0;
  for (let at = 13 + colourTable(view.getUint8(10)); at < view.byteLength;) {
    const block = view.getUint8(at);
    if (block === 0x2c) {
      frames += 1;
      at = afterSubBlocks(view, at + 11 + colourTable(view.getUint8(at + 9)));
    } else if (block === 0x21) at = afterSubBlocks(view, at + 2);
    else break;
  }
  return { ...facts, frames: Math.max(1, frames) };
}

function colourTable(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

function afterSubBlocks(view: DataView, start: number): number {
  let at = start;
  for (let size = view.getUint8(at); size !== 0; size = view.getUint8(at)) at += size + 1;
  return at + 1;
}

function webp(view: DataView): ImageFacts | undefined {
  if (view.byteLength < 30 || text(view, 0, 4) !== 'RIFF' || text(view, 8, 4) !== 'WEBP') return undefined;
  const type = 'image/webp';
  const kind = text(view, 12, 4);
  if (kind === 'VP8 ')
    return { type, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff, frames: 1 };
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, frames: 1 };
  }
  if (kind !== 'VP8X') return undefined;
  let frames = 0;
  for (let at = 12; at + 8 <= view.byteLength;) {
    if (text(view, at, 4) === 'ANMF') frames += 1;
    const size = view.getUint32(at + 4, true);
    at += 8 + size + (size % 2);
  }
  return { type, width: 1 + uint24(view, 24), height: 1 + uint24(view, 27), frames: Math.max(1, frames) };
}

function uint24(view: DataView, at: number): number {
  return view.getUint8(at) | (view.getUint8(at + 1) << 8) | (view.getUint8(at + 2) << 16);
}
