import type { JsonObject } from '../values/json.ts';

/** Something that happened during a span: `progress`, `log`, `stderr`, `state`, or a word of the program's own. */
export interface TimelineEvent {
  readonly name: string;
  /** In milliseconds since 1970, by a clock that never goes back. */
  readonly at: number;
  readonly facts: JsonObject;
}

/**
 * A piece of work: what it was, when, how it ended, and the work that led to it. Texts of servers are bounded, without secrets, and without characters that
 * are not seen.
 */
export interface TimelineSpan {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** 32 hexadecimal digits: the same for everything with the same beginning. */
  readonly trace: string;
  /** The span that led to this one; absent in the first of a trace. */
  readonly parent?: string;
  /**
   * `run`, `conversation`, `call`, `decision`, `request` (to a server), `asked` (by a server), `question` (to the user), `http`, `login`, `model`, `read`, `prompt`,
   * `server`, `connect`, `restart`, or a word of the program's own.
   */
  readonly kind: string;
  readonly name: string;
  readonly server?: string;
  /** In milliseconds since 1970, by a clock that never goes back. */
  readonly startedAt: number;
  /** Absent while the span is open. */
  readonly durationMs?: number;
  readonly status: 'open' | 'ok' | 'failed';
  /** Why it failed. */
  readonly error?: string;
  readonly facts: JsonObject;
  readonly events: readonly TimelineEvent[];
  /** Events that were dropped, because there were too many. */
  readonly droppedEvents: number;
  /** Spans that led to this one as well. */
  readonly links: readonly string[];
  /** The spans that this one led to, in the order of their beginning. */
  readonly children: readonly TimelineSpan[];
}

/** A change of the timeline; the span is without its children. */
export interface TimelineChange {
  readonly type: 'began' | 'event' | 'ended';
  readonly span: TimelineSpan;
}
