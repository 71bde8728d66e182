import type { JsonObject } from '../values/json.ts';

/** One thing that happened, as the audit log keeps it. Secrets are redacted before it is written. */
export interface AuditEvent {
  /** `call`, `result`, `decision`, `question`, `answer`, `server`, `trust`, `approval`, `policy`, `login`, `run` (of an agent), `audit` (of the log itself), or a word of the program's own. */
  readonly type: string;
  /** The server it concerns. */
  readonly server?: string;
  /** The call it belongs to: the id that `callTool` gave it. */
  readonly call?: string;
  readonly details: JsonObject;
}

/** An event in its place in the log. */
export interface AuditEntry {
  /** From 1, without a gap. */
  readonly sequence: number;
  /** When it was written, as ISO 8601. */
  readonly at: string;
  readonly event: AuditEvent;
  /** `hash` of the entry before; of the first one, a fixed text. */
  readonly previous: string;
  /** The digest of everything above. */
  readonly hash: string;
}

/** The part of the audit log that other parts of the host write to. It never rejects: a store that cannot be reached is told to `onproblem`. */
export interface AuditWriter {
  write(event: AuditEvent): void;
}
