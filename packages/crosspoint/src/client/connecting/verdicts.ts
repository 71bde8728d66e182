import { systemClock, type Clock } from '../../peer/clock.ts';
import type { Family } from '../../revisions/revision.ts';

/** Facts remembered about a server, so that it is probed only once. */
export interface Verdict {
  readonly family: Family;
  /** The negotiated revision. */
  readonly revision: string;
  /** The server has only the HTTP+SSE transport: one endpoint to read from, one to post to. */
  readonly twoEndpoints?: boolean;
}

/** Storage for verdicts, by the identity of the transport. A verdict is a hint: a wrong one only costs time. */
export interface VerdictMemory {
  get(key: string): Verdict | undefined | Promise<Verdict | undefined>;
  set(key: string, verdict: Verdict): void | Promise<void>;
}

export interface VerdictMemoryOptions {
  /** How long a server counts as one with a handshake, in milliseconds: it may be updated meanwhile. One hour when absent. */
  readonly handshakeTtlMs?: number;
  readonly maxEntries?: number;
  readonly clock?: Clock;
}

/** Verdicts in memory. Those of the per-request family stay; those of the handshake family expire. */
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

/** Shared by all clients of the process that are given no memory of their own. */
export const processVerdicts: VerdictMemory = createVerdictMemory();
