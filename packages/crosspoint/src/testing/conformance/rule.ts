import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Revision } from '../../revisions/revision.ts';
import type { Probe } from './probe.ts';

/** What a check may use beside the connection. */
export interface CheckContext {
  readonly probe: Probe;
  readonly revision: Revision;
  /** Tool → arguments it may be called with. */
  readonly examples: Readonly<Record<string, readonly JsonObject[]>>;
  /** No list has more pages. */
  readonly maxPages: number;
}

/** One rule of the protocol, and how to find out whether a server keeps it. */
export interface Rule {
  /** Names it in reports and in `skip`. */
  readonly id: string;
  /** What a server does that keeps it. */
  readonly text: string;
  /** What breaks a "should" is told and fails nothing, unless asked to be strict. */
  readonly level: 'must' | 'should';
  /** Throws `Broken`. */
  check(context: CheckContext): Promise<void>;
}

/** A rule is broken; `why` says by what. */
export class Broken extends Error {
  override readonly name: string = 'Broken';
}

export function ensure(holds: boolean, why: string): asserts holds {
  if (!holds) throw new Broken(why);
}

/** There was nothing to check. */
export class NothingToCheck extends Error {
  override readonly name: string = 'NothingToCheck';
}
