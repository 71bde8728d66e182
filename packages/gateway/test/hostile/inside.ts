import { Parking } from '../../src/calls/parking.ts';
import { Watching } from '../../src/changes/watching.ts';
import { Links } from '../../src/face/links.ts';
import { UpstreamSessions, type Slot } from '../../src/upstream/upstream-sessions.ts';

/** Numbers of everything that a bridge keeps. */
export interface Counts {
  /** Connections to the server. */
  readonly sessions: number;
  /** Calls that are open in them. */
  readonly calls: number;
  readonly parked: number;
  /** Clients with a session. */
  readonly links: number;
  readonly watches: number;
}

const NOTHING = { sessions: 0, calls: 0, parked: 0, links: 0, watches: 0 };

const all = {
  sessions: new Set<UpstreamSessions>(),
  upstream: new Set<Slot['session']>(),
  parking: new Set<Parking>(),
  links: new Set<Links>(),
  watches: new Set<Watching>(),
};

type Method = (this: object, ...args: unknown[]) => unknown;

/** Has a method of every instance tell that it was called. */
function around(prototype: object, name: string, tell: (instance: never, returned: unknown) => void): void {
  const original = Reflect.get(prototype, name) as Method;
  Reflect.set(prototype, name, function (this: object, ...args: unknown[]) {
    const returned = original.apply(this, args);
    tell(this as never, returned);
    return returned;
  });
}

around(UpstreamSessions.prototype, 'acquire', (sessions: UpstreamSessions, slot) => {
  all.sessions.add(sessions);
  void Promise.resolve(slot as Slot | Promise<Slot>).then(
    ({ session }) => all.upstream.add(session),
    () => {},
  );
});
around(Parking.prototype, 'park', (parking: Parking) => all.parking.add(parking));
around(Links.prototype, 'tie', (links: Links) => all.links.add(links));
for (const begin of ['want', 'wantPossible'])
  around(Watching.prototype, begin, (watching: Watching) => all.watches.add(watching));
around(Watching.prototype, 'close', (watching: Watching) => all.watches.delete(watching));

const sum = <T>(set: Set<T>, of: (one: T) => number): number => [...set].reduce((total, one) => total + of(one), 0);

/** Everything that the bridges of this test keep now. */
export function inside(): Counts {
  return {
    sessions: sum(all.sessions, ({ size }) => size),
    calls: sum(all.upstream, ({ calls, ended }) => (ended.aborted ? 0 : calls.size)),
    parked: sum(all.parking, ({ size }) => size),
    links: sum(all.links, ({ size }) => size),
    watches: all.watches.size,
  };
}

/** Forgets the bridges of this test, which must keep nothing any more. */
export function emptied(): Counts {
  const counts = inside();
  for (const set of Object.values(all)) set.clear();
  return counts;
}

export { NOTHING };
