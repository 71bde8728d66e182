import type { RevisionChoice } from '../../revisions/selection.ts';

/** `legacy`: a revision with a handshake. `auto`: the newest revision that both sides speak. `pin`: this revision only. */
export type VersionNegotiationMode = 'legacy' | 'auto' | { pin: string };

export interface VersionNegotiationProbeOptions {
  /** Milliseconds that a server may take to answer `server/discover`. */
  timeoutMs?: number;
}

/** Choice of revisions, in the official SDK's shape. */
export interface VersionNegotiationOptions {
  mode?: VersionNegotiationMode;
  probe?: VersionNegotiationProbeOptions;
}

export function revisionsOf({ mode = 'auto' }: VersionNegotiationOptions): RevisionChoice {
  if (mode === 'auto') return 'all';
  return mode === 'legacy' ? 'handshake' : [mode.pin];
}
