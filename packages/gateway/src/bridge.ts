import type { HttpTarget } from 'crosspoint/client';
import { Server } from 'crosspoint/server';
import { tasks } from 'crosspoint/server/tasks';
import type { BridgeOptions } from './bridge-options.ts';
import { ParkedRecords } from './calls/parked-records.ts';
import { Parking } from './calls/parking.ts';
import { Reach } from './calls/reach.ts';
import { Relay } from './calls/relay.ts';
import { Face } from './face/face.ts';
import { RelayedTasks } from './tasks/relayed-tasks.ts';
import { httpUpstream } from './upstream/http-upstream.ts';
import { UpstreamSessions, type Slot } from './upstream/upstream-sessions.ts';
import type { Upstream, UpstreamCaller } from './upstream/upstream.ts';

/** Everything that a server may offer; each caller is told the part that its server has. */
const OFFERED = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
  completions: {},
} as const;

/** A server that stands for another: any client may speak with it, whatever the one behind speaks. Made with `bridge`. */
export class Bridge extends Server {
  readonly #sessions: UpstreamSessions;
  readonly #parking: Parking;
  readonly #face: Face;

  /** @internal Use `bridge`. */
  constructor(upstream: Upstream, options: BridgeOptions) {
    const { parking = {}, sessions = {}, store, keys, concurrency = 'own' } = options;
    const forMs = parking.forMs ?? 300_000;
    super(
      { name: 'crosspoint-bridge', version: '0.2.0' },
      {
        ...options.server,
        capabilities: OFFERED,
        idempotency: false,
        trackRequests: false,
        limits: { 'notifications/progress': FAST, 'notifications/message': FAST, ...options.server?.limits },
        asking: { ttlMs: forMs, maxRounds: 1_000_000, ...(keys && { keys }) },
        ...(store && { store }),
      },
    );
    const onproblem = (problem: Error): void => options.onproblem?.(problem);
    this.onerror = onproblem;
    this.#sessions = new UpstreamSessions(
      upstream,
      {
        atMost: sessions.atMost ?? 1000,
        perCaller: sessions.perCaller ?? 8,
        idleMs: sessions.idleMs ?? 60_000,
        concurrency,
      },
      { client: { ...options.client }, middleware: options.middleware ?? [], onproblem },
    );
    const reopen = (caller: UpstreamCaller, resume: UpstreamCaller['resume']): Promise<Slot> =>
      this.#sessions.acquire(`again ${JSON.stringify(resume)}`, { ...caller, resume });
    this.#parking = new Parking(
      { forMs, atMost: parking.atMost ?? 1000, perCaller: parking.perCaller ?? 100 },
      store && new ParkedRecords({ store, reopen, onproblem }),
    );
    const isStateless = options.stateless === true;
    const maxRounds = options.maxRounds ?? 10;
    const reach = new Reach(this.#sessions, isStateless);
    const feature = tasks({ list: true });
    this.use(feature);
    const parts = { reach, parking: this.#parking };
    const relayedTasks = new RelayedTasks({ ...parts, become: feature.forHandlers() }, maxRounds);
    const relay = new Relay(
      { ...parts, tasks: relayedTasks },
      { maxRounds, asksInTasks: options.questions === 'tasks' },
    );
    this.#face = new Face({ server: this, relay, reach, isStateless, onproblem });
  }

  /** Closes the connections to clients and to the server. */
  override async close(): Promise<void> {
    await super.close();
    await this.#face.close();
    await this.#sessions.close(this.#parking.close());
  }
}

/** The server's pace is its own matter. */
const FAST = { perSecond: 100_000, burst: 100_000 };

export function bridge(upstream: string | URL | HttpTarget | Upstream, options: BridgeOptions = {}): Bridge {
  const reach = typeof upstream === 'object' && 'connect' in upstream ? upstream : httpUpstream(upstream);
  return new Bridge(reach, options);
}
