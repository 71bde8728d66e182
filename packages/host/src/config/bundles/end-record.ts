import { BundleError } from './bundle-error.ts';

const SIGNATURE = Buffer.from([0x50, 0x4b, 0x05, 0x06]);
const ZIP64_LOCATOR = Buffer.from([0x50, 0x4b, 0x06, 0x07]);
const RECORD_BYTES = 22;
const LOCATOR_BYTES = 20;

/** The last record of a zip archive: where its list of entries is, and how long. */
export interface EndRecord {
  readonly entries: number;
  readonly directoryStart: number;
  readonly directoryBytes: number;
}

/** Reads the last record and holds it against the length of the archive. Archives beyond 4 GiB or 65,534 entries have another one, and are refused. */
export function readEndRecord(bytes: Buffer): EndRecord {
  const at = bytes.length < RECORD_BYTES ? -1 : bytes.lastIndexOf(SIGNATURE, bytes.length - RECORD_BYTES);
  if (at < 0)
    throw new BundleError(
      'not-a-bundle',
      'The bundle was refused: it is not a zip archive, or only a part of one. Download it again.',
    );
  if (at + RECORD_BYTES + bytes.readUInt16LE(at + 20) !== bytes.length) throw damaged('there are bytes behind its end');
  if (
    at >= LOCATOR_BYTES &&
    bytes
      .subarray(at - LOCATOR_BYTES)
      .subarray(0, 4)
      .equals(ZIP64_LOCATOR)
  )
    throw damaged('it has the directory of an archive of more than 4 GiB');
  const entries = bytes.readUInt16LE(at + 10);
  if (bytes.readUInt32LE(at + 4) !== 0 || bytes.readUInt16LE(at + 8) !== entries)
    throw damaged('it is a part of an archive of several files');
  const directoryBytes = bytes.readUInt32LE(at + 12);
  const directoryStart = bytes.readUInt32LE(at + 16);
  if (directoryStart + directoryBytes !== at) throw damaged('its list of entries is not where it says');
  return { entries, directoryStart, directoryBytes };
}

/** An archive that contradicts itself. */
export function damaged(fault: string, options?: ErrorOptions): BundleError {
  return new BundleError(
    'damaged',
    `The bundle was refused: its archive is damaged or was made to deceive: ${fault}. Download it again; if that does not help, do not use it.`,
    options,
  );
}
