import type { Writable } from 'node:stream';
import type { McpHandlerOptions, Server } from 'crosspoint/server';
import type { Transport } from 'crosspoint/client';
import type { BridgeOptions } from '../bridge-options.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** Makes the bridge that the program serves. */
export type MakeBridge = (upstream: Upstream, options: BridgeOptions) => Server;

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

/** The parts that the program puts together, where they are not its own. */
export interface ProgramParts {
  readonly bridge?: MakeBridge;
  readonly record?: MakeRecorder;
}
