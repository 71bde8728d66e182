import type { HttpRules } from '../revisions/revision.ts';
import type { MirroredParam } from '../protocol/mirrored-params.ts';
import type { Carrier } from '../protocol/operation.ts';
import type { JSONRPCBatch, JSONRPCMessage, JsonObject, RequestId } from '../jsonrpc/message.ts';

/** Verified facts about the caller's token. */
export interface AuthInfo {
  token: string;
  clientId: string;
  scopes: string[];
  /** Expiry in seconds since the epoch. */
  expiresAt?: number;
  resource?: URL;
  extra?: JsonObject;
}

/** Facts about the request that carried a message, as far as the transport knows them. */
export interface MessageExtraInfo {
  authInfo?: AuthInfo | undefined;
  /** Name of the caller. `null`: it has none. Absent: taken from the token, as the client with its user (`sub`) and issuer (`iss`). */
  principal?: string | null | undefined;
  /** Network address that tells callers without a name apart; empty when unknown. Absent: the transport has no network. */
  address?: string | undefined;
  /** The HTTP request: its headers, and the address that the client asked for. */
  requestInfo?: { headers: Record<string, string | string[] | undefined>; url?: URL | undefined } | undefined;
  /**
   * To a client: the request on whose stream the message came, which it therefore belongs to. `null`: the standing stream, which belongs to
   * none. Absent: the transport has one channel, or the stream belongs to several requests.
   */
  relatedRequestId?: RequestId | null | undefined;
  /**
   * To a client: the event before a request of the server, on its stream. As `resumptionToken` of a later call it has the server send the request again, and
   * everything after it. Absent where the stream cannot be resumed from there.
   */
  resumeAfter?: string | undefined;
  /** Ends the connection that carries the answer, where the client can return for it. */
  closeSSEStream?: (() => void) | undefined;
  /** Ends the connection of the standing stream, if there is one. */
  closeStandaloneSSEStream?: (() => void) | undefined;
}

export interface TransportSendOptions {
  /** The request this message belongs to; transports with several streams send it on that request's stream. */
  relatedRequestId?: RequestId;
  resumptionToken?: string;
  onresumptiontoken?: (token: string) => void;
  /** Extra headers, where the transport has headers. */
  headers?: Readonly<Record<string, string>>;
}

/** Input without a message. The connection continues. */
export type BadFrame =
  | { readonly kind: 'unparsable'; readonly reason: string; readonly start: string }
  /** Longer than the limit and dropped. `id` was read from the retained part, if possible; `isResponse` says whether it was a response. */
  | {
      readonly kind: 'too-large';
      readonly limit: number;
      readonly id: RequestId | undefined;
      readonly isResponse: boolean;
    };

/**
 * A channel for messages. Set the callbacks, then call `start`. `onmessage` delivers decoded JSON, whose shape the receiver checks. `send`
 * may return a promise, which settles when the message has been sent or, where message and answer are one exchange, when the answer has
 * arrived; it throws or rejects when the message cannot be sent or the answer can no longer arrive. `onclose` is called once per start.
 */
export interface Transport {
  start(): Promise<void>;
  send(message: JSONRPCMessage | JSONRPCBatch, options?: TransportSendOptions): Promise<void> | void;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  onbadframe?: ((frame: BadFrame) => void) | undefined;
  /** Calls the callbacks of `side` and has none of its own; optional, for transports of which there may be thousands. */
  attachSide?(side: TransportSide): void;
  sessionId?: string | undefined;
  /**
   * Set by the server that the transport is connected to, as are the next two. A transport without sessions calls it with the version that
   * a message names, before it delivers the message. `isEnding`: the message ends a handshake, which the program is to hear of.
   */
  onassumed?: ((version: string | undefined, isEnding?: boolean) => boolean) | undefined;
  /** Set by the server: the arguments of a call that HTTP headers repeat. */
  mirroredParams?:
    | ((call: { readonly method: string; readonly params: JsonObject }) => readonly MirroredParam[])
    | undefined;
  /** Set by the client or server: the params member that `Mcp-Name` repeats, for a method that an extension adds. */
  namedBy?: ((method: string) => string | undefined) | undefined;
  /** Id for request number `number` to the client, where several processes serve one client. The same number gives the same id. */
  requestId?(number: number): RequestId;
  /** Called once, when the revision of the connection is known. */
  setProtocolVersion?: ((version: string) => void) | undefined;
  /** Called with the HTTP rules of a revision whenever the following messages are in another one. */
  setHttpRules?: ((rules: HttpRules) => void) | undefined;
  /**
   * Set by the client. Called with `true` when the transport waits for a person and with `false` when the wait is over; timeouts are
   * suspended in between.
   */
  onwaiting?: ((isWaiting: boolean) => void) | undefined;
  /** Protocol extensions that the transport uses; a client declares them. */
  readonly extensions?: readonly string[] | undefined;
  /** Kind of transport, for logs and traces. */
  readonly carrier?: Carrier | undefined;
  /** Whether messages have HTTP headers. */
  readonly hasHeaders?: boolean | undefined;
}

/** The callbacks of a transport. */
export type TransportSide = Pick<Transport, 'onclose' | 'onerror' | 'onmessage'>;

/** A client transport that has a stable identity and can be started again after it has closed. */
export interface RestartableTransport extends Transport {
  /** Stable key of the server; what is learnt about the server is remembered under it. */
  readonly identity: string;
  readonly restartable: true;
  /** Why the last run ended. */
  readonly lastFailure: Error | undefined;
  /** Whether a new run starts no process, as over HTTP: a lost connection is then renewed without being asked for. */
  readonly renewable?: boolean | undefined;
  /** Set while a session opened earlier is continued; with its version, where known. */
  readonly resumed?: { readonly protocolVersion: string | undefined } | undefined;
  /** Whether this is the HTTP+SSE transport, which is remembered for the server. */
  readonly hasTwoEndpoints?: boolean | undefined;
}

export function isRestartable(transport: Transport): transport is RestartableTransport {
  return 'restartable' in transport && transport.restartable === true;
}
