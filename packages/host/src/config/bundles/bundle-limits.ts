/** The most that a bundle may be and become. Every member has a default. */
export interface BundleLimits {
  /** Bytes of the bundle itself; 256 MiB by default. */
  readonly bundleBytes?: number;
  /** Files and folders in it; 50,000 by default. */
  readonly entries?: number;
  /** Bytes of its list of entries; 16 MiB by default. */
  readonly directoryBytes?: number;
  /** Bytes of all unpacked files; 1 GiB by default. */
  readonly unpackedBytes?: number;
  /** Bytes of one unpacked file; 512 MiB by default. */
  readonly fileBytes?: number;
  /** How many times its packed size a file may become, beyond the first MiB; 200 by default. */
  readonly ratio?: number;
  /** Bytes of `manifest.json`; 1 MiB by default. */
  readonly manifestBytes?: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: Required<BundleLimits> = {
  bundleBytes: 256 * MIB,
  entries: 50_000,
  directoryBytes: 16 * MIB,
  unpackedBytes: 1024 * MIB,
  fileBytes: 512 * MIB,
  ratio: 200,
  manifestBytes: MIB,
};

/** Small files may be packed as well as they can be: a page of zeros is no bomb. */
export const RATIO_FREE_BYTES: number = MIB;
