export interface KilledCell {
  readonly victim: 'bridge' | 'upstream' | 'client';
  readonly carrier: 'http' | 'stdio';
  readonly down: 'handshake' | 'per-request';
  readonly up: 'handshake' | 'per-request';
}
export declare const CELLS: readonly KilledCell[];
export declare function randomFrom(seed: number): () => number;
export declare function killIn(
  cell: KilledCell,
  options: { readonly kills: number; readonly seed: number },
): Promise<Record<string, number>>;
