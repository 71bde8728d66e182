import type { Clock } from '../../peer/clock.ts';
import type { Transport } from '../../transports/transport.ts';
import type { LinkOpenOptions } from './link.ts';
import type { VerdictMemory } from './verdicts.ts';

export interface ConnectOptions {
  signal?: AbortSignal | undefined;
  /** Time limit for connecting; `timeouts.connectMs` of the client when absent. */
  timeoutMs?: number | undefined;
  /** The official SDK's name for `timeoutMs`. */
  timeout?: number | undefined;
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

export function isTransport(value: unknown): value is Transport {
  return typeof value === 'object' && value !== null && 'start' in value && 'send' in value;
}
