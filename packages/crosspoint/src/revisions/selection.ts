import { findRevision, newestOf, revisions } from './index.ts';
import type { Family, Revision } from './revision.ts';

/** All revisions, those of one family, or those with the given ids. */
export type RevisionChoice = 'all' | Family | readonly string[];

/** The revisions one side of a connection speaks. */
export interface SpokenRevisions {
  /** At least one, newest first: those of the per-request family before the others. */
  readonly all: readonly [Revision, ...Revision[]];
  readonly ids: readonly string[];
  readonly families: ReadonlySet<Family>;
  /** Finds a revision by the value that the peer named, of any type. */
  find(id: unknown): Revision | undefined;
  newest(family: Family): Revision | undefined;
}

/** Throws a `TypeError` for an empty choice and for unknown ids. */
export function selectRevisions(choice: RevisionChoice = 'all'): SpokenRevisions {
  const all = chosen(choice) as readonly [Revision, ...Revision[]];
  const byId = new Map<unknown, Revision>();
  for (const revision of all) byId.set(revision.id, revision).set(revision.formerId ?? revision.id, revision);
  const handshake = newestOf('handshake', all);
  const perRequest = newestOf('per-request', all);
  return {
    all,
    ids: all.map((revision) => revision.id),
    families: new Set(all.map((revision) => revision.family)),
    find: (id) => byId.get(id),
    newest: (family) => (family === 'handshake' ? handshake : perRequest),
  };
}

function chosen(choice: RevisionChoice): readonly Revision[] {
  if (choice === 'all') return revisions;
  if (typeof choice === 'string') {
    const family = revisions.filter((revision) => revision.family === choice);
    if (family.length === 0)
      throw new TypeError(
        `"${choice as string}" is no family of protocol revisions: say "handshake" or "per-request".`,
      );
    return family;
  }
  const unknown = choice.filter((id) => findRevision(id) === undefined);
  if (unknown.length > 0) throw new TypeError(`Unknown protocol revision ${unknown.join(', ')}. ${knownOnes()}`);
  if (choice.length === 0) throw new TypeError(`At least one protocol revision is needed. ${knownOnes()}`);
  const wanted = new Set(choice.map(findRevision));
  return revisions.filter((revision) => wanted.has(revision));
}

function knownOnes(): string {
  return `Known: ${revisions.map((revision) => revision.id).join(', ')}.`;
}
