import type { RevisionChoice } from '../../revisions/selection.ts';

/** `legacy`: with a handshake. `auto`: in the newest way that both sides know. `pin`: this revision and no other. */
export type VersionNegotiationMode = 'legacy' | 'auto' | { pin: string };

export interface VersionNegotiationProbeOptions {
  /** How long a server may take to say that it speaks without a handshake. */
  timeoutMs?: number;
}

/** What to speak, in the words of the official SDK. */
export interface VersionNegotiationOptions {
  mode?: VersionNegotiationMode;
  probe?: VersionNegotiationProbeOptions;
}

export function revisionsOf({ mode = 'auto' }: VersionNegotiationOptions): RevisionChoice {
  if (mode === 'auto') return 'all';
  return mode === 'legacy' ? 'handshake' : [mode.pin];
}
