/** Where a value comes from that may be secret. */
export type Source =
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'environment'; readonly name: string }
  | { readonly from: 'arguments'; readonly value: string };

/** A server that is reached at an address. */
export interface AddressTarget {
  readonly kind: 'address';
  readonly url: string;
  /** Headers of every request to it. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Speak HTTP+SSE, the older transport, alone. */
  readonly isSse?: boolean | undefined;
  /** Log in there with OAuth when the server asks for it. */
  readonly login?: boolean | undefined;
  /** File that keeps the login; that of the user when absent. */
  readonly credentials?: string | undefined;
  /** Tells this login from others at the same address, where the file keeps several. */
  readonly account?: string | undefined;
  /** Print the address of the login page in place of opening a browser. */
  readonly noBrowser?: boolean | undefined;
}

/** A server that is a program. */
export interface ProgramTarget {
  readonly kind: 'program';
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables added to the safe ones; `undefined` takes one of these away. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
  readonly maxChildren?: number | undefined;
  readonly maxChildrenPerCaller?: number | undefined;
  /** Milliseconds that a caller waits for a process. */
  readonly waitMs?: number | undefined;
}

/** How callers over HTTP prove who they are. Addresses are kept as they were written: tokens are compared with the text. */
export type FaceAuthentication =
  | { readonly kind: 'issuer'; readonly issuer: string; readonly audience: string; readonly scopes: readonly string[] }
  | {
      readonly kind: 'introspection';
      readonly endpoint: string;
      readonly client: string;
      readonly secret: Source;
      readonly issuer: string;
      readonly audience: string;
      readonly scopes: readonly string[];
    }
  | { readonly kind: 'tokens'; readonly path: string };

export interface ListenAddress {
  /** Name or address, an IPv6 address without brackets. */
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  readonly path: string;
  readonly isLoopback: boolean;
}

export interface HttpFace {
  readonly kind: 'http';
  readonly address: ListenAddress;
  /** Also serve the older transport with two endpoints. */
  readonly sse?: boolean | undefined;
  /** Host names, in addition to those of loopback addresses; none when empty. */
  readonly allowedHosts?: readonly string[] | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly authentication?: FaceAuthentication | undefined;
}

export interface StdioFace {
  readonly kind: 'stdio';
}

export type StoreChoice =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'redis'; readonly url: Source };

export type LogLevel = 'quiet' | 'normal' | 'verbose';

/** A bridge as a command describes it. Everything but its two sides has a default. */
export interface BridgeCommand {
  readonly target: AddressTarget | ProgramTarget;
  readonly face: HttpFace | StdioFace;
  /** The only revisions that are spoken with the server: a family, or their dates. */
  readonly revisions?: 'handshake' | 'per-request' | readonly string[] | undefined;
  readonly stateless?: boolean | undefined;
  readonly concurrency?: 'own' | 'wait' | undefined;
  readonly questions?: 'rounds' | 'tasks' | undefined;
  readonly parkMs?: number | undefined;
  readonly maxParked?: number | undefined;
  readonly maxRounds?: number | undefined;
  /** In memory when absent. */
  readonly store?: StoreChoice | undefined;
  readonly keyFile?: string | undefined;
  /** Session file that is written. */
  readonly record?: string | undefined;
  /** `normal` when absent. */
  readonly log?: LogLevel | undefined;
}
