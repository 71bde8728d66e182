import { crc32, deflateRawSync } from 'node:zlib';

/** One entry of an archive, written byte by byte: every field can be a lie. */
export interface ZipEntry {
  readonly name: string | Buffer;
  readonly data?: string | Buffer;
  readonly method?: number;
  readonly flags?: number;
  readonly crc?: number;
  /** The length that both headers state. */
  readonly size?: number;
  readonly packedSize?: number;
  readonly localName?: string | Buffer;
  readonly localSize?: number;
  /** Unix mode with its type, in the upper half of the external attributes. */
  readonly mode?: number;
  readonly extra?: Buffer;
  /** An earlier offset that the list names in place of a header of its own. */
  readonly at?: number;
  /** Bytes behind those of the entry. */
  readonly after?: Buffer;
}

export interface ZipShape {
  readonly count?: number;
  readonly countOnDisk?: number;
  readonly directoryBytes?: number;
  readonly directoryStart?: number;
  readonly comment?: Buffer;
  readonly prefix?: Buffer;
  readonly beforeEnd?: Buffer;
  readonly trailing?: Buffer;
}

export const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
};
export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
};
export const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

export function zipBytes(entries: readonly ZipEntry[], shape: ZipShape = {}): Buffer {
  const prefix = shape.prefix ?? Buffer.alloc(0);
  const locals: Buffer[] = [];
  const listed: Buffer[] = [];
  let offset = prefix.length;
  for (const entry of entries) {
    const raw = Buffer.from(entry.data ?? '');
    const method = entry.method ?? (raw.length > 0 ? 8 : 0);
    const packed = method === 8 ? deflateRawSync(raw) : raw;
    const name = Buffer.from(entry.name);
    const localName = Buffer.from(entry.localName ?? entry.name);
    const extra = entry.extra ?? Buffer.alloc(0);
    const flags = u16(entry.flags ?? 0x800);
    const sums = (size: number): Buffer =>
      Buffer.concat([u32(entry.crc ?? crc32(raw)), u32(entry.packedSize ?? packed.length), u32(size)]);
    const size = entry.size ?? raw.length;
    const start = Buffer.concat([flags, u16(method), u32(0)]);
    const local = Buffer.concat([
      u32(0x04034b50),
      u16(20),
      start,
      sums(entry.localSize ?? size),
      u16(localName.length),
      u16(0),
      localName,
      packed,
      entry.after ?? Buffer.alloc(0),
    ]);
    listed.push(
      Buffer.concat([
        u32(0x02014b50),
        u16(0x031e),
        u16(20),
        start,
        sums(size),
        u16(name.length),
        u16(extra.length),
        u16(0),
        u32(0),
        u32((entry.mode ?? 0) * 0x10000),
        u32(entry.at ?? offset),
        name,
        extra,
      ]),
    );
    if (entry.at === undefined) {
      locals.push(local);
      offset += local.length;
    }
  }
  const directory = Buffer.concat(listed);
  const comment = shape.comment ?? Buffer.alloc(0);
  return Buffer.concat([
    prefix,
    ...locals,
    directory,
    shape.beforeEnd ?? Buffer.alloc(0),
    u32(0x06054b50),
    u32(0),
    u16(shape.countOnDisk ?? shape.count ?? entries.length),
    u16(shape.count ?? entries.length),
    u32(shape.directoryBytes ?? directory.length),
    u32(shape.directoryStart ?? offset),
    u16(comment.length),
    comment,
    shape.trailing ?? Buffer.alloc(0),
  ]);
}

/** A manifest with what is required, and `changes`. */
export function manifestWith(changes: object = {}): Record<string, unknown> {
  return {
    manifest_version: '0.3',
    name: 'weather',
    version: '1.0.0',
    description: 'Tells the weather',
    author: { name: 'An Author' },
    server: {
      type: 'node',
      entry_point: 'server/index.js',
      mcp_config: { command: 'node', args: ['${__dirname}/server/index.js'] },
    },
    ...changes,
  };
}

/** A bundle whose server is one file. */
export function bundleBytes(
  manifest: object = manifestWith(),
  more: readonly ZipEntry[] = [],
  shape?: ZipShape,
): Buffer {
  return zipBytes(
    [
      { name: 'manifest.json', data: JSON.stringify(manifest) },
      { name: 'server/', mode: 0o040755 },
      { name: 'server/index.js', data: 'console.log(1)\n', mode: 0o100644 },
      ...more,
    ],
    shape,
  );
}
