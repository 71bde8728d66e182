import type { Become } from './tasks/relayed-tasks.ts';
import type { BridgeOptions } from './bridge-options.ts';
import { ParkedRecords } from './calls/parked-records.ts';
import { Parking } from './calls/parking.ts';
import { Reach } from './calls/reach.ts';
import { Relay } from './calls/relay.ts';
import { RelayedTasks } from './tasks/relayed-tasks.ts';
import { UpstreamSessions, type Slot } from './upstream/upstream-sessions.ts';
import type { Upstream, UpstreamCaller } from './upstream/upstream.ts';

export const PARKED_FOR_MS = 300_000;
export const LEASE_MS = 3000;

/** Everything between a face and a server: sessions, parked calls and the relay. */
export class Relaying {
  readonly reach: Reach;
  readonly relay: Relay;
  readonly #sessions: UpstreamSessions;
  readonly #parking: Parking;

  /** `become` makes a task of a call at the face; without it, calls never become tasks. */
  constructor(
    upstream: Upstream,
    options: BridgeOptions & { readonly onproblem: (problem: Error) => void },
    become?: Become,
  ) {
    const { parking = {}, sessions = {}, store, onproblem, maxRounds = 10, leaseMs = LEASE_MS } = options;
    this.#sessions = new UpstreamSessions(
      upstream,
      {
        atMost: sessions.atMost ?? 1000,
        perCaller: sessions.perCaller ?? 8,
        idleMs: sessions.idleMs ?? 60_000,
        concurrency: options.concurrency,
      },
      { client: { ...options.client }, middleware: options.middleware ?? [], onproblem },
    );
    const reopen = async (caller: UpstreamCaller, resume: UpstreamCaller['resume']): Promise<Slot> =>
      this.#sessions.acquire(`again ${JSON.stringify(resume)}`, { ...caller, resume });
    this.#parking = new Parking(
      { forMs: parking.forMs ?? PARKED_FOR_MS, atMost: parking.atMost ?? 1000, perCaller: parking.perCaller ?? 100 },
      store && new ParkedRecords({ store, leaseMs, reopen, onproblem }),
    );
    this.reach = new Reach(this.#sessions, options.stateless === true);
    const parts = { reach: this.reach, parking: this.#parking };
    const tasks = new RelayedTasks({ ...parts, become }, maxRounds);
    this.relay = new Relay({ ...parts, tasks }, { maxRounds, onproblem, asksInTasks: options.questions === 'tasks' });
  }

  async close(): Promise<void> {
    await this.#sessions.close(this.#parking.close());
  }
}
