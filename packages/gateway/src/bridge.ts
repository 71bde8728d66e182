import type { HttpTarget } from 'crosspoint/client';
import { Server } from 'crosspoint/server';
import { tasks } from 'crosspoint/server/tasks';
import type { BridgeOptions } from './bridge-options.ts';
import { Face } from './face/face.ts';
import { LEASE_MS, PARKED_FOR_MS, Relaying } from './relaying.ts';
import { upstreamAt } from './upstream/http-upstream.ts';
import type { Upstream } from './upstream/upstream.ts';

/** Everything that a server may offer; each caller is told the part that its server has. */
const OFFERED = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
  completions: {},
} as const;

/** Held against the manifest by a test: this file also runs where no manifest can be read. */
export const VERSION = '0.2.0';
/** The server's pace is its own matter. */
const FAST = { perSecond: 100_000, burst: 100_000 };
/** So are the rounds of questions that it asks a client without a session: the bridge keeps nothing between them. */
const ANY_NUMBER = 1_000_000;

/** A server that stands for another: any client may speak with it, whatever the one behind speaks. Made with `bridge`. */
export class Bridge extends Server {
  readonly #relaying: Relaying;
  readonly #face: Face;

  /** @internal Use `bridge`. */
  constructor(upstream: Upstream, options: BridgeOptions) {
    const { parking, store, keys } = options;
    super(
      { name: 'crosspoint-bridge', version: VERSION },
      {
        ...options.server,
        capabilities: OFFERED,
        idempotency: false,
        trackRequests: false,
        limits: { 'notifications/progress': FAST, 'notifications/message': FAST, ...options.server?.limits },
        asking: { ttlMs: parking?.forMs ?? PARKED_FOR_MS, maxRounds: ANY_NUMBER, ...(keys && { keys }) },
        ...(store && { store }),
      },
    );
    const onproblem = (problem: Error): void => options.onproblem?.(problem);
    this.onerror = onproblem;
    const feature = tasks({ list: true, leaseMs: options.leaseMs ?? LEASE_MS });
    this.use(feature);
    this.#relaying = new Relaying(upstream, { ...options, onproblem }, feature.forHandlers());
    const { relay, reach } = this.#relaying;
    this.#face = new Face({ server: this, relay, reach, isStateless: options.stateless === true, onproblem });
  }

  /** Closes the connections to clients and to the server. Parked calls that another process can go on with are left open at the server. */
  override async close(): Promise<void> {
    await super.close();
    await this.#face.close();
    await this.#relaying.close();
  }
}

/**
 * A server that stands for another one, of any family and over any transport: `createMcpHandler` and `serveStdio` serve it. `upstream` is the address of the server, or a
 * way to connect a client to it.
 *
 * ```ts
 * const face = bridge('https://old.example.com/mcp');
 * createServer(createMcpHandler(face, { path: '/mcp' }).node).listen(3000, '127.0.0.1');
 * await serveStdio(bridge({ connect: (client) => client.connect(new StdioClientTransport({ command: 'old-server' })) }));
 * ```
 */
export function bridge(upstream: string | URL | HttpTarget | Upstream, options: BridgeOptions = {}): Bridge {
  return new Bridge(upstreamAt(upstream), options);
}
