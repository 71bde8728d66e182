import type { AuthInfo } from '../../transports/transport.ts';
import type { HttpReply, HttpRequest } from '../../transports/http/server/adapters/exchange.ts';
import { report } from '../../runtime/guard.ts';
import { findRevision } from '../../revisions/index.ts';
import { CallCounts } from '../../peer/call-counts.ts';
import { coreOf } from '../core.ts';
import type { McpServer } from '../mcp-server.ts';
import type { Server } from '../server.ts';
import { Entrance } from './entrance.ts';
import { Endpoint, type Health } from './endpoint.ts';
import type { McpHandlerOptions } from './options.ts';
import { INTERNAL, refuse } from '../../transports/http/server/adapters/refuse.ts';

/** The facts about a request before there is a server to serve it. */
export interface McpRequestContext {
  /** `legacy`: the client opens with a handshake. */
  era: 'legacy' | 'modern';
  /** The caller's identity: from `auth` or `authenticate`, or from the program that called the handler. */
  authInfo?: AuthInfo;
}

/** Makes a server for one request. */
export type McpServerFactory = (context: McpRequestContext) => McpServer | Server | Promise<McpServer | Server>;

/** An endpoint, as a handler uses it. */
export interface Serving {
  handle(request: HttpRequest, reply: HttpReply): Promise<void>;
  onproblem(problem: unknown): void;
  beat(): void;
  close(graceMs: number): Promise<void>;
  readonly health: Health;
  /** The servers that may have changes to announce. */
  readonly servers: Iterable<McpServer | Server>;
}

interface Served {
  readonly server: McpServer | Server;
  readonly endpoint: Endpoint;
}

const FEW = 16;

/** Makes a new server for each request: there are no sessions, and no state is kept from one request to the next. */
export class FactoryEndpoint implements Serving {
  readonly #factory: McpServerFactory;
  readonly #options: McpHandlerOptions;
  readonly #entrance: Entrance;
  readonly #busy = new Set<Served>();
  /** Shared by all servers: limits count for a caller, not for each of its requests. */
  readonly #counts = new CallCounts();
  /** The number of servers at which idle ones are removed: twice the number busy at the last removal, so that the cost per request stays small. */
  #sweepAt = FEW;
  #isClosed = false;

  constructor(factory: McpServerFactory, { store: _store, ...options }: McpHandlerOptions) {
    this.#factory = factory;
    this.#options = { ...options, sessions: false, legacySse: false };
    this.#entrance = new Entrance(this.#options, {
      isClosing: () => this.#isClosed,
      onproblem: (problem) => this.onproblem(problem),
    });
  }

  /** Serves a request. Never rejects: errors are answered and reported. */
  async handle(request: HttpRequest, reply: HttpReply): Promise<void> {
    try {
      const headers = await this.#entrance.admit(request, reply);
      if (headers) await (await this.#make(request)).handle(request, reply, headers);
    } catch (error) {
      this.onproblem(error);
      refuse(reply, INTERNAL);
    }
  }

  async #make(request: HttpRequest): Promise<Endpoint> {
    const isModern = findRevision(request.header('mcp-protocol-version') ?? '')?.family === 'per-request';
    const { authInfo } = request;
    const server = await this.#factory({ era: isModern ? 'modern' : 'legacy', ...(authInfo && { authInfo }) });
    const core = coreOf(server);
    core.useCounts(this.#counts);
    const endpoint = new Endpoint(core, this.#options);
    if (this.#isClosed) await endpoint.close(0);
    this.#busy.add({ server, endpoint });
    if (this.#busy.size >= this.#sweepAt) this.#forgetIdle();
    return endpoint;
  }

  onproblem(problem: unknown): void {
    report(this.#options.onerror, problem);
  }

  beat(): void {
    for (const { endpoint } of this.#busy) endpoint.beat();
  }

  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#busy].map(({ endpoint }) => endpoint.close(graceMs)));
    this.#busy.clear();
  }

  get health(): Health {
    const all = [...this.#busy].map(({ endpoint }) => endpoint.health);
    const sum = (member: 'working' | 'streams'): number => all.reduce((total, each) => total + each[member], 0);
    return { ready: !this.#isClosed, working: sum('working'), sessions: 0, streams: sum('streams') };
  }

  get servers(): Iterable<McpServer | Server> {
    this.#forgetIdle();
    return [...this.#busy].map(({ server }) => server);
  }

  /** Removes the servers whose requests have been answered. */
  #forgetIdle(): void {
    for (const served of this.#busy) {
      const { working, streams } = served.endpoint.health;
      if (working === 0 && streams === 0) this.#busy.delete(served);
    }
    this.#sweepAt = Math.max(FEW, 2 * this.#busy.size);
  }
}
