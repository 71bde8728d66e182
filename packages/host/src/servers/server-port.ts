import type { CredentialStore } from 'crosspoint/auth';
import type { Client, ClientOptions, Implementation } from 'crosspoint/client';
import type { Listing } from '../catalogue/listing.ts';
import type { Reach, ServerEntry } from '../config/server-entry.ts';
import type { Asks } from '../inbox/item.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { RetryOptions } from './pacing.ts';
import type { ServerState } from './server-state.ts';

/** The answer to whether a server may be started. */
export type StartVerdict = { readonly isAllowed: true } | { readonly isAllowed: false; readonly reason: string };

/** The host, as its servers see it. No server sees another one, or anything that belongs to another. */
export interface ServerPort {
  readonly info: Implementation;
  readonly retry: RetryOptions;
  readonly connectMs: number;
  readonly asks: Asks;
  readonly credentials: CredentialStore;
  /** Shows a page to the user, who has agreed to it; the browser of this machine when absent. */
  readonly openUrl?: ((url: URL) => void | Promise<void>) | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Told of logins and HTTP exchanges. */
  readonly tracing?: Tracing | undefined;
  /** Whether the server may be started. Calls `onasking` with the reason where the user has to be asked. */
  mayStart(
    entry: ServerEntry,
    options: { readonly signal: AbortSignal; readonly onasking: (reason: string) => void },
  ): Promise<StartVerdict>;
  /** The final values of an entry, inputs and secrets filled in. May ask the user. */
  resolve(entry: ServerEntry, signal: AbortSignal): Promise<Reach>;
  /** The options of a client for this server: capabilities, extensions, timeouts. */
  clientOptions(entry: ServerEntry): ClientOptions;
  /** Gives a client its handlers, before it connects. */
  prepare(client: Client, entry: ServerEntry): void;
  onstate(server: string, state: ServerState): void;
  /** `isStale`: the connection is lost, and this is what the server offered last. */
  onlisting(server: string, listing: Listing, isStale: boolean): Promise<void>;
  onstderr(server: string, line: string): void;
  onproblem(server: string, problem: Error): void;
}
