import type { Clock } from '../../peer/clock.ts';
import type { Transport } from '../../transports/transport.ts';
import type { LinkOpenOptions } from './link.ts';
import type { VerdictMemory } from './verdicts.ts';

/** Options of one `connect`. */
export interface ConnectOptions {
  /** Gives the attempt up when it aborts. */
  signal?: AbortSignal | undefined;
  /** Time limit for connecting; `timeouts.connectMs` of the client when absent. */
  timeoutMs?: number | undefined;
  /** The official SDK's name for `timeoutMs`. */
  timeout?: number | undefined;
  /**
   * Called with each transport before it is opened, also those that an address leads to: `tapMessages(…).transport` of `crosspoint/server/relaying` shows their
   * messages. An error that it throws fails the attempt.
   */
  tap?: ((transport: Transport) => unknown) | undefined;
}

/** Settings of the client for a connector, and `open` to try a transport. */
export interface ConnectingPort {
  readonly clock: Clock;
  readonly verdicts: VerdictMemory;
  readonly connectMs: number;
  open(transport: Transport, options: LinkOpenOptions): Promise<void>;
  onproblem(problem: Error): void;
}

/** Connects a client: opens one transport, or several in turn until one reaches the server. */
export type Connector = (opening: LinkOpenOptions, port: ConnectingPort) => Promise<void>;

/** Throws for a time limit under its name in the client's options, which would have no effect here. */
export function checkConnectOptions(options: ConnectOptions): void {
  if ('connectMs' in options || 'timeouts' in options)
    throw new TypeError(
      'connect() takes timeoutMs: connect(target, { timeoutMs: … }). timeouts.connectMs is an option of new Client(…).',
    );
}

export function isTransport(value: unknown): value is Transport {
  return typeof value === 'object' && value !== null && 'start' in value && 'send' in value;
}
