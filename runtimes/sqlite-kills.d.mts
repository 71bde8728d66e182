export function killWriters(rounds: number): Promise<{
  readonly rounds: number;
  readonly acknowledged: number;
  readonly failures: readonly string[];
  readonly lost: readonly string[];
  readonly files: readonly string[];
}>;
