import { isProtocolError, ProtocolError, TransportError } from '../protocol/errors.ts';
import { asError, report } from '../runtime/guard.ts';
import type { Clock } from './clock.ts';

/** Problems of one kind that are reported one by one, and the milliseconds for which further ones are only counted. */
const MOST_TOLD = 10;
const COUNTED_MS = 10_000;
/** Kinds beyond this number are counted as one. */
const MOST_KINDS = 32;
const OTHERS = 'others';

/** The problems of one kind within the current period. */
interface Kind {
  since: number;
  told: number;
  /** The number of problems not reported since then, and the last of them. */
  untold: number;
  last: Error | undefined;
  timer: unknown;
}

/**
 * Reports problems with one peer, bounded in number: the first ten of a kind within ten seconds are reported as they come, further ones as a count
 * every ten seconds, until ten seconds pass without one. A peer decides how many problems it causes, and must not flood the program's log.
 */
export class ProblemReports {
  readonly #clock: Clock;
  readonly #listener: (problem: Error) => unknown;
  readonly #most: number;
  readonly #kinds = new Map<string, Kind>();

  constructor(clock: Clock, listener: (problem: Error) => unknown, most: number = MOST_TOLD) {
    this.#clock = clock;
    this.#listener = listener;
    this.#most = most;
  }

  /** Never throws. */
  report(thrown: unknown): void {
    const problem = asError(thrown);
    const now = this.#clock.now();
    const kind = this.#kind(nameOf(problem), now);
    if (kind.untold === 0 && now - kind.since >= COUNTED_MS) {
      kind.since = now;
      kind.told = 0;
    }
    if (kind.told < this.#most) {
      kind.told += 1;
      return report(this.#listener, problem);
    }
    kind.untold += 1;
    kind.last = problem;
    if (kind.timer === undefined) this.#sumLater(kind, now);
  }

  /** Reports now the problems that have only been counted so far. */
  flush(): void {
    for (const kind of this.#kinds.values()) this.#sum(kind);
  }

  #kind(name: string, now: number): Kind {
    const key = this.#kinds.has(name) || this.#kinds.size < MOST_KINDS ? name : OTHERS;
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    const kind: Kind = { since: now, told: 0, untold: 0, last: undefined, timer: undefined };
    this.#kinds.set(key, kind);
    return kind;
  }

  #sumLater(kind: Kind, now: number): void {
    const clock = this.#clock;
    kind.timer = clock.setTimeout(() => this.#sum(kind), Math.max(0, kind.since + COUNTED_MS - now));
    // A pending report does not keep the process running.
    clock.keepsRunning?.(kind.timer, false);
  }

  #sum(kind: Kind): void {
    const { untold, last, timer, since } = kind;
    if (timer === undefined || last === undefined) return;
    this.#clock.clearTimeout(timer);
    kind.timer = kind.last = undefined;
    kind.untold = 0;
    kind.since = this.#clock.now();
    report(this.#listener, sumOf(last, untold, kind.since - since));
  }
}

function nameOf(problem: Error): string {
  if (problem instanceof TransportError) return problem.code;
  return isProtocolError(problem) ? problem.kind : problem.name;
}

/** An error of the same kind that says how many there were. */
function sumOf(last: Error, count: number, ms: number): Error {
  const message = `${count} more problems like this one within ${ms} ms: ${last.message}`;
  const options = { cause: last };
  if (last instanceof TransportError)
    return new TransportError(last.code, message, { ...last.details, count }, options);
  if (isProtocolError(last)) return new ProtocolError(last.kind, message, { count }, options);
  return new Error(message, options);
}
