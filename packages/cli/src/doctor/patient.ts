import type { HttpReach, Reach, ServerEntry, StdioReach } from '@crosspoint/host/config';
import type { Home } from '../place/home.ts';

/** A server under examination. */
export interface Patient<R extends Reach = Reach> {
  readonly entry: ServerEntry;
  /** Its command or address with final values. */
  readonly reach: R;
  readonly home: Home;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

export type CommandPatient = Patient<StdioReach>;
export type AddressPatient = Patient<HttpReach>;

export const isCommand = (patient: Patient): patient is CommandPatient => patient.reach.type === 'stdio';
export const isAddress = (patient: Patient): patient is AddressPatient =>
  patient.reach.type === 'http' || patient.reach.type === 'sse';
