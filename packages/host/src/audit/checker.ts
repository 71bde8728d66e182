import type { Json } from '../values/json.ts';
import { type AuditAnchor, BEGINNING, bodyOf, readEntry, sealedEnd } from './entry.ts';
import type { AuditEntry } from './event.ts';
import type { Seal } from './seal.ts';

/** A trace of tampering, or of damage. */
export interface AuditProblem {
  /** The entry that it was found at. */
  readonly sequence: number;
  /** One sentence for people. */
  readonly what: string;
}

/** The finding about a log. */
export interface AuditReport {
  readonly ok: boolean;
  /** The number of entries that were looked at. */
  readonly entries: number;
  /** The first 100. */
  readonly problems: readonly AuditProblem[];
}

export interface VerifyOptions {
  /** An end of the log that was kept elsewhere: everything up to it must be there, unchanged. */
  readonly anchor?: AuditAnchor;
}

const MAX_PROBLEMS = 100;

/** Looks at the entries of a log one after the other and notes what is wrong with them. */
export class ChainChecker {
  readonly #seal: Seal;
  readonly #anchor: AuditAnchor | undefined;
  readonly #problems: AuditProblem[] = [];
  #entries = 0;
  /** The hash of the entry before; `undefined` where that one is missing, which was noted. */
  #previous: string | undefined = BEGINNING;
  #last = 0;
  #isFaulty = false;
  /** Entries without the seal that the log should have: the first and the last in a row. */
  #unsealed: [first: number, last: number] | undefined;

  constructor(seal: Seal, { anchor }: VerifyOptions = {}) {
    this.#seal = seal;
    this.#anchor = anchor;
  }

  /** Looks at the entry that should have this number; `undefined` where there is none. */
  entry(sequence: number, value: Json | undefined): void {
    const entry = readEntry(value);
    this.#last = sequence;
    if (value === undefined) return this.#gap(sequence, 'is missing');
    this.#entries += 1;
    if (entry === undefined) return this.#gap(sequence, 'cannot be read');
    if (entry.sequence !== sequence)
      return this.#gap(sequence, `is not in its place: entry ${entry.sequence} stands there`);
    this.#hash(entry);
    if (this.#previous !== undefined && entry.previous !== this.#previous)
      this.fault(sequence, 'does not follow from the entry before: one of them was changed, removed or inserted');
    this.#previous = entry.hash;
    if (this.#anchor?.sequence === sequence && this.#anchor.hash !== entry.hash)
      this.fault(sequence, 'is not the one that the anchor names: the log was written anew');
  }

  /** Holds the end against the head. */
  end(head: AuditAnchor & { readonly seal?: string }): AuditReport {
    if (head.sequence !== this.#last)
      this.fault(head.sequence, `is the last one by the head, but the last one found is ${this.#last}`);
    else if (this.#previous !== undefined && head.hash !== this.#previous)
      this.fault(head.sequence, 'is not the one that the head names: it was changed, or the end was removed');
    if (head.sequence > 0) this.#checkSeal(head);
    return this.report();
  }

  report(): AuditReport {
    const anchor = this.#anchor;
    if (anchor !== undefined && anchor.sequence > this.#last)
      this.fault(anchor.sequence, 'is named by the anchor and missing: the end of the log was removed');
    this.#tellUnsealed();
    return { ok: !this.#isFaulty, entries: this.#entries, problems: this.#problems };
  }

  fault(sequence: number, what: string): void {
    this.#isFaulty = true;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ sequence, what: `Entry ${sequence} ${what}.` });
  }

  #gap(sequence: number, what: string): void {
    this.fault(sequence, what);
    this.#previous = undefined;
  }

  #hash(entry: AuditEntry): void {
    const finding = this.#found(() => this.#seal.check(bodyOf(entry), entry.hash));
    if (finding === 'wrong') this.fault(entry.sequence, 'was changed: its hash is another');
    if (finding === 'no-secret' && !this.#isFaulty)
      this.fault(entry.sequence, 'was sealed with a secret that was not given: its content cannot be checked');
    if (finding !== 'unsealed') return this.#tellUnsealed();
    this.#unsealed = [this.#unsealed?.[0] ?? entry.sequence, entry.sequence];
  }

  #checkSeal(head: AuditAnchor & { readonly seal?: string }): void {
    const finding = this.#found(() => this.#seal.check(sealedEnd(head), head.seal ?? ''));
    if (finding === 'wrong' || (finding === 'unsealed' && !this.#isFaulty && this.#unsealed === undefined))
      this.fault(head.sequence, 'is named by a head with a wrong seal: the end of the log may have been removed');
  }

  /** Content that is nested too deeply for a hash was never written by a log. */
  #found<T>(check: () => T): T | 'wrong' {
    try {
      return check();
    } catch {
      return 'wrong';
    }
  }

  #tellUnsealed(): void {
    if (this.#unsealed === undefined) return;
    const [first, last] = this.#unsealed;
    this.#unsealed = undefined;
    const more = last > first ? ` and all up to ${last} were` : ' was';
    this.fault(
      first,
      `${more.trim()} written without the secret: anybody could have written ${last > first ? 'them' : 'it'}`,
    );
  }
}
