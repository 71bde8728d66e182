const HEADER = Buffer.from('MCPB_SIG_V1');
const FOOTER = Buffer.from('MCPB_SIG_END');
const LENGTH_BYTES = 4;

export interface SplitBundle {
  readonly archive: Buffer;
  /** Whether a signature follows the archive. It is not verified here. */
  readonly hasSignature: boolean;
}

/** Separates the archive from the signature block behind it: header, length, PKCS#7, footer. */
export function splitSignature(bytes: Buffer): SplitBundle {
  if (!bytes.subarray(-FOOTER.length).equals(FOOTER)) return { archive: bytes, hasSignature: false };
  const start = bytes.lastIndexOf(HEADER);
  const lengthAt = start + HEADER.length;
  if (start < 0 || lengthAt + LENGTH_BYTES > bytes.length) return { archive: bytes, hasSignature: false };
  const end = lengthAt + LENGTH_BYTES + bytes.readUInt32LE(lengthAt) + FOOTER.length;
  return end === bytes.length
    ? { archive: bytes.subarray(0, start), hasSignature: true }
    : { archive: bytes, hasSignature: false };
}
