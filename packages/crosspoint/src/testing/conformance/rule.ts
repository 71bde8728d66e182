import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Revision } from '../../revisions/revision.ts';
import type { Probe } from './probe.ts';

/** The facts that a check may use beside the connection. */
export interface CheckContext {
  readonly probe: Probe;
  readonly revision: Revision;
  /** Arguments for calls, by tool. */
  readonly examples: Readonly<Record<string, readonly JsonObject[]>>;
  /** Most pages of a list. */
  readonly maxPages: number;
}

/** One rule of the protocol, and its check. */
export interface Rule {
  /** The name in reports and in `skip`. */
  readonly id: string;
  /** The behaviour that the rule demands. */
  readonly text: string;
  /** A broken "should" is reported and fails nothing, except in strict mode. */
  readonly level: 'must' | 'should';
  /** Throws `Broken` or `NothingToCheck`. */
  check(context: CheckContext): Promise<void>;
}

/** Thrown when a rule is broken; the message says by what. */
export class Broken extends Error {
  override readonly name: string = 'Broken';
}

export function ensure(holds: boolean, why: string): asserts holds {
  if (!holds) throw new Broken(why);
}

/** Thrown when there was nothing to check. */
export class NothingToCheck extends Error {
  override readonly name: string = 'NothingToCheck';
}
