import type { AuditEntry } from '../audit/event.ts';
import type { Json } from '../values/json.ts';
import { decideKnowing, isCall, type Knowledge } from './decide.ts';
import type { Decision, Effect } from './decision.ts';
import { readDecision, type RecordedDecision } from './decision-event.ts';
import { ownPolicy, type Policy } from './policy.ts';

/** A decision that another policy would have made differently. */
export interface ChangedDecision {
  readonly entry: AuditEntry;
  readonly before: { readonly effect: Effect; readonly reviewsResult: boolean };
  readonly after: Decision;
}

export interface DryRun {
  /** The first 10,000. */
  readonly changed: readonly ChangedDecision[];
  /** The number of all that would be made differently. */
  readonly different: number;
  /** The number of those that would be the same. */
  readonly same: number;
  /** The number of those that depend on a value that was redacted or cut before it was written. */
  readonly undecidable: number;
}

const MAX_CHANGED = 10_000;

/**
 * Decides everything in a log again by another policy. Nothing is called and nobody is asked. An approval that counted then counts now.
 *
 * ```ts
 * import { dryRun, parsePolicy, type AuditLog } from '@crosspoint/host';
 *
 * async function tryOut(audit: AuditLog): Promise<void> {
 *   const { changed, same, undecidable } = await dryRun(parsePolicy({ default: 'deny' }), audit.read({ type: 'decision' }));
 *   console.log(changed.length, same, undecidable);
 * }
 * ```
 */
export async function dryRun(
  policy: Policy,
  entries: Iterable<AuditEntry> | AsyncIterable<AuditEntry>,
): Promise<DryRun> {
  const changed: ChangedDecision[] = [];
  let different = 0;
  let same = 0;
  let undecidable = 0;
  for await (const entry of entries) {
    if (entry.event.type !== 'decision') continue;
    const recorded = readDecision(entry.event);
    const after = recorded && decideAgain(policy, recorded);
    if (recorded === undefined || after === undefined) undecidable += 1;
    else if (after.effect === recorded.effect && after.reviewsResult === recorded.reviewsResult) same += 1;
    else {
      different += 1;
      const { effect, reviewsResult } = recorded;
      if (changed.length < MAX_CHANGED) changed.push({ entry, before: { effect, reviewsResult }, after });
    }
  }
  return { changed, different, same, undecidable };
}

type Knows = NonNullable<Knowledge['unknownMatches']>;

/**
 * Courses that enclose every other: the strictest, where an unknown value lets each rule that raises the guard match; the mildest, where it lets those
 * that allow match, and those that ask (which are milder than a default that denies) either all or none; and the one where it lets none match.
 */
const COURSES: readonly Knows[] = [
  (_rule, guard) => guard === 'raises',
  ({ effect }, guard) => (effect === 'allow' ? guard === 'lowers' : effect === 'ask'),
  ({ effect }, guard) => effect === 'allow' && guard === 'lowers',
  () => false,
];

/** The decision, where it is the same whatever the unknown values were. */
function decideAgain(given: Policy, { subject, state, isOwn }: RecordedDecision): Decision | undefined {
  const policy = isOwn ? ownPolicy(given) : given;
  if (!isCall(subject) && isUnknown(subject.name)) return undefined;
  const [first, ...others] = COURSES.map((unknownMatches) =>
    decideKnowing(policy, subject, { state, isUnknown, unknownMatches }),
  );
  const isSame = others.every(
    ({ effect, reviewsResult }) => effect === first?.effect && reviewsResult === first.reviewsResult,
  );
  return isSame ? first : undefined;
}

/** The marks of the audit log in place of a value that it did not write, or not whole. */
const MARKS = /\[(?:redacted|too deep|too large|cut)\]/;

function isUnknown(value: Json): boolean {
  return typeof value === 'string' && MARKS.test(value);
}
