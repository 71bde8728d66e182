import type { Clock } from '../../peer/clock.ts';
import type { Transport } from '../../transports/transport.ts';
import type { LinkOpenOptions } from './link.ts';
import type { VerdictMemory } from './verdicts.ts';

export interface ConnectOptions {
  signal?: AbortSignal | undefined;
  /** Instead of the client's `timeouts.connectMs`. */
  timeoutMs?: number | undefined;
  /** The same, under its older name. */
  timeout?: number | undefined;
}

/** What finding a transport needs of the client that is to speak over it. */
export interface ConnectingPort {
  readonly clock: Clock;
  readonly verdicts: VerdictMemory;
  readonly connectMs: number;
  open(transport: Transport, options: LinkOpenOptions): Promise<void>;
  onproblem(problem: Error): void;
}

/** Opens one transport, or one after the other until the server is reached. */
export type Approach = (opening: LinkOpenOptions, port: ConnectingPort) => Promise<void>;

export function isTransport(value: unknown): value is Transport {
  return typeof value === 'object' && value !== null && 'start' in value && 'send' in value;
}
