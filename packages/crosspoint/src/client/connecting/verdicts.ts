import { systemClock, type Clock } from '../../peer/clock.ts';
import type { Family } from '../../revisions/revision.ts';

/** What was learnt about a server, so that the question is paid for once. */
export interface Verdict {
  readonly family: Family;
  /** The revision that was agreed on. */
  readonly revision: string;
  /** It was met over the older transport, which has one endpoint to read from and one to post to. */
  readonly twoEndpoints?: boolean;
}

/** Where verdicts are kept, by the identity of the transport. What it gives back is a hint: a wrong one costs time, nothing else. */
export interface VerdictMemory {
  get(key: string): Verdict | undefined | Promise<Verdict | undefined>;
  set(key: string, verdict: Verdict): void | Promise<void>;
}

export interface VerdictMemoryOptions {
  /** A server that is old today may be updated tomorrow; one hour when absent. */
  readonly handshakeTtlMs?: number;
  readonly maxEntries?: number;
  readonly clock?: Clock;
}

/** Verdicts in memory. Those of the per-request family stay, those of the handshake family expire. */
export function createVerdictMemory(options: VerdictMemoryOptions = {}): VerdictMemory {
  const { handshakeTtlMs = 3_600_000, maxEntries = 1000, clock = systemClock } = options;
  const entries = new Map<string, { readonly verdict: Verdict; readonly expiresAt: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined || clock.now() < entry.expiresAt) return entry?.verdict;
      entries.delete(key);
      return undefined;
    },
    set(key, verdict) {
      entries.delete(key);
      const oldest = entries.size >= maxEntries ? entries.keys().next() : undefined;
      if (oldest?.done === false) entries.delete(oldest.value);
      const expiresAt = verdict.family === 'handshake' ? clock.now() + handshakeTtlMs : Number.POSITIVE_INFINITY;
      entries.set(key, { verdict, expiresAt });
    },
  };
}

/** Shared by all clients of the process that bring no memory of their own. */
export const processVerdicts: VerdictMemory = createVerdictMemory();
