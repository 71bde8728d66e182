import type { Writable } from 'node:stream';
import type { McpHandlerOptions, Server } from 'crosspoint/server';
import type { Transport } from 'crosspoint/client';
import type { Store } from 'crosspoint/stores';
import type { Upstream } from '../upstream/upstream.ts';

/** Options of a bridge that the command line has words for. */
export interface BridgeSettings {
  readonly name?: string;
  readonly parking?: { readonly forMs?: number; readonly atMost?: number };
  readonly concurrency?: 'own' | 'wait';
  readonly maxRounds?: number;
  readonly stateless?: boolean;
  readonly store?: Store;
  readonly keys?: readonly string[];
  readonly onproblem?: (error: Error) => void;
}

/** Makes the bridge that the program serves. */
export type MakeBridge = (upstream: Upstream, settings: BridgeSettings) => Server;

/** Writes what passes into a session file. */
export interface SessionRecorder {
  readonly down: {
    readonly handler: NonNullable<McpHandlerOptions['tap']>;
    readonly transport: <T extends Transport>(transport: T) => T;
  };
  upstream(upstream: Upstream): Upstream;
  stderr(text: string): void;
  close(): Promise<unknown>;
}

export type MakeRecorder = (
  sink: Writable,
  options: { readonly secrets: () => readonly string[]; readonly onerror: (error: Error) => void },
) => SessionRecorder;

/** The parts that the program puts together. */
export interface ProgramParts {
  readonly bridge: MakeBridge;
  readonly record: MakeRecorder;
}
