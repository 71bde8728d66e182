import type { Client } from 'crosspoint/client';
import { TransportError, type StdioServerParameters } from 'crosspoint/client/stdio';
import type { Upstream, UpstreamCaller } from '../upstream/upstream.ts';
import { asError, guarded } from '../values/guarded.ts';
import { hiding } from '../values/hidden-values.ts';
import { childFault } from '../words/child-fault.ts';
import { ChildTransport } from './child-transport.ts';
import { OrphanGuard } from './orphan-guard.ts';
import { Places, type Place } from './places.ts';
import { StderrLines } from './stderr-lines.ts';

/** The program of a server, as `StdioClientTransport` takes it; each connection starts it once. */
export type ChildProgram = Omit<StdioServerParameters, 'stderr'>;

export interface ChildrenOptions {
  /** Most processes at a time. 32 when absent. */
  readonly max?: number;
  /** Most processes for one authenticated caller. 8 when absent. Callers without a name are one caller, bounded by `max` alone. */
  readonly maxPerCaller?: number;
  /** Milliseconds that a caller waits for a process when all are taken. 10 seconds when absent. */
  readonly waitMs?: number;
  /** Most callers that wait. 256 when absent. */
  readonly maxWaiting?: number;
  /**
   * Ends also processes that ignore the end of their stdin, and those that they started, when this process is killed with SIGKILL. That needs a process
   * beside this one (40 MB of memory, 6 MB of which it shares with no other Node) as long as the pool is open. Off when absent; no effect on Windows.
   */
  readonly guarded?: boolean;
  /** Each line that a process writes to stderr, with values of `env` masked and unseen characters as their codes. */
  readonly onstderr?: (line: string, pid: number | null) => unknown;
  /** Failures that no caller waits for. */
  readonly onproblem?: (problem: Error) => unknown;
}

/** Processes of one server, each for one connection. */
export interface Children extends Upstream {
  readonly atMost: number;
  /** Ids of the processes that run. */
  readonly pids: readonly number[];
  /** Connections that wait for a process. */
  readonly waiting: number;
  connect(client: Client, caller: UpstreamCaller, signal: AbortSignal): Promise<void>;
  /** Ends all processes, and everything that they started. Later connections are refused. */
  close(): Promise<void>;
}

/**
 * A server behind a bridge that is a program talking over stdin and stdout. Each connection starts a process, which ends when the connection is closed, or when this
 * process ends in any way that can be noticed. A process that cannot be started, or ends while a client connects, is an error with its exit code and the
 * end of its stderr.
 *
 * ```ts
 * const upstream = children({ command: 'node', args: ['server.mjs'], env: { API_KEY: key } }, { max: 8 });
 * createMcpHandler(bridge(upstream));
 * ```
 */
export function children(program: ChildProgram, options: ChildrenOptions = {}): Children {
  return new ChildPool(program, options);
}

const DEFAULTS = { max: 32, maxPerCaller: 8, waitMs: 10_000, maxWaiting: 256 };

class ChildPool implements Children {
  readonly atMost: number;
  readonly #program: ChildProgram;
  readonly #options: ChildrenOptions;
  readonly #places: Places;
  readonly #running = new Set<ChildTransport>();
  readonly #hide: (text: string) => string;
  readonly #guard: OrphanGuard | undefined;
  #closing: Promise<void> | undefined;

  constructor(program: ChildProgram, options: ChildrenOptions) {
    this.atMost = count('max', options.max ?? DEFAULTS.max, 1);
    this.#program = program;
    this.#options = options;
    this.#hide = hiding(Object.values(program.env ?? {}).flatMap((value) => value ?? []));
    if (options.guarded === true) this.#guard = new OrphanGuard((problem) => this.#problem(problem));
    this.#places = new Places({
      max: this.atMost,
      maxPerOwner: count('maxPerCaller', options.maxPerCaller ?? DEFAULTS.maxPerCaller, 1),
      waitMs: count('waitMs', options.waitMs ?? DEFAULTS.waitMs, 0),
      maxWaiting: count('maxWaiting', options.maxWaiting ?? DEFAULTS.maxWaiting, 0),
    });
  }

  get pids(): readonly number[] {
    return [...this.#running].flatMap(({ pid }) => pid ?? []);
  }

  get waiting(): number {
    return this.#places.waiting;
  }

  async connect(client: Client, { principal }: UpstreamCaller, signal: AbortSignal): Promise<void> {
    const take = (): Promise<Place> => this.#places.take(principal, signal);
    const transport = this.#transport(await take(), () => this.#places.take(principal));
    try {
      await client.connect(transport, { signal });
    } catch (error) {
      this.#leave(transport);
      throw childFault(transport.lastFailure ?? error) ?? childFault(error, this.#hide) ?? error;
    }
    transport.settle();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#places.close(new TransportError('closed', 'The bridge is closing: no process of the server is started.'));
    await Promise.all([...this.#running].map((transport) => this.#end(transport)));
    this.#guard?.close();
  }

  #transport(place: Place, take: () => Promise<Place>): ChildTransport {
    const { onstderr, onproblem } = this.#options;
    const lines = new StderrLines((line) => {
      const { pid } = transport;
      if (onstderr !== undefined) guarded(() => onstderr(this.#hide(line), pid), onproblem);
    });
    const transport: ChildTransport = new ChildTransport({ ...this.#program, stderr: lines.stream }, place, {
      hide: this.#hide,
      check: () => this.#places.check(),
      take: async () => {
        const again = await take();
        this.#running.add(transport);
        return again;
      },
      onstart: (pid) => this.#guard?.watch(pid),
      onend: (pid) => {
        lines.flush();
        if (pid !== undefined) this.#guard?.forget(pid);
      },
      onrelease: () => void this.#running.delete(transport),
    });
    this.#running.add(transport);
    return transport;
  }

  /** A program that ends slowly keeps its place until then; the caller is told at once that connecting failed. */
  #leave(transport: ChildTransport): void {
    void this.#end(transport).then(() => transport.settle());
  }

  async #end(transport: ChildTransport): Promise<void> {
    try {
      await transport.close();
    } catch (error) {
      this.#problem(asError(error));
    }
  }

  #problem(problem: Error): void {
    const { onproblem } = this.#options;
    if (onproblem !== undefined) guarded(() => onproblem(problem));
  }
}

function count(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new TypeError(`${name} must be a whole number of at least ${least}, not ${String(value)}.`);
}
