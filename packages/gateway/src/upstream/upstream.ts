import type { Client, ClientCapabilities, Implementation } from 'crosspoint/client';

/** The client downstream that a connection to the server is opened for. */
export interface UpstreamCaller {
  /** Authenticated user; `undefined` without authentication, when all callers are one. */
  readonly principal: string | undefined;
  /** Name and version that the server is told. */
  readonly client: Implementation | undefined;
  /** Capabilities that the server is told. */
  readonly capabilities: ClientCapabilities;
  /** Whether the client has a session at the bridge, which this connection belongs to alone. */
  readonly hasSession?: boolean;
  /** A session that an earlier process opened, and this connection is to go on with. Only where `canResume` is set. */
  readonly resume?: { readonly sessionId: string; readonly protocolVersion: string } | undefined;
}

/**
 * The server behind a bridge: a way to connect a client to it. The bridge makes the client and closes it; each connection serves one caller.
 *
 * ```ts
 * const upstream: Upstream = { connect: (client) => client.connect({ url: 'https://mcp.example.com/mcp', authProvider }) };
 * ```
 */
export interface Upstream {
  /** Connects the client. Rejects when the server cannot be reached, which the caller is told. */
  connect(client: Client, caller: UpstreamCaller, signal: AbortSignal): Promise<void>;
  /** Whether `connect` goes on with the session in `caller.resume`, so that a parked call survives the process. */
  readonly canResume?: boolean;
  /**
   * Most connections at a time; no bound when absent. `connect` is called beyond it, and waits or rejects; meanwhile the bridge closes connections that nobody uses, to
   * make room.
   */
  readonly atMost?: number;
  /** Ends everything that the connections shared, such as a pool of processes. Called when the bridge is closed, after its clients. */
  close?(): Promise<void>;
}
