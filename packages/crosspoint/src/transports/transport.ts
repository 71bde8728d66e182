import type { HttpRules } from '../revisions/revision.ts';
import type { MirroredParam } from '../protocol/mirrored-params.ts';
import type { Carrier } from '../protocol/operation.ts';
import type { JSONRPCBatch, JSONRPCMessage, JsonObject, RequestId } from '../jsonrpc/message.ts';

/** What was verified about the caller's token. */
export interface AuthInfo {
  token: string;
  clientId: string;
  scopes: string[];
  /** Seconds since the epoch. */
  expiresAt?: number;
  resource?: URL;
  extra?: JsonObject;
}

/** What the transport knows of the request that carried a message. */
export interface MessageExtraInfo {
  authInfo?: AuthInfo | undefined;
  /** The name of the caller. `null`: it has none. Absent: what the token says, the client with its user (`sub`) and issuer (`iss`). */
  principal?: string | null | undefined;
  /** Where the caller is in the network, by which callers without a name are told apart; empty where that is not known. Absent: not a network. */
  address?: string | undefined;
  requestInfo?: { headers: Record<string, string | string[] | undefined> } | undefined;
  /** Ends the connection that carries the answer, where the client can come back for it. */
  closeSSEStream?: (() => void) | undefined;
  /** Ends the connection of the standing stream, where there is one. */
  closeStandaloneSSEStream?: (() => void) | undefined;
}

export interface TransportSendOptions {
  /** The request this message belongs to: transports with several streams put it on that request's stream. */
  relatedRequestId?: RequestId;
  resumptionToken?: string;
  onresumptiontoken?: (token: string) => void;
  /** Sent beside the message where the transport has headers. */
  headers?: Readonly<Record<string, string>>;
}

/** Input that holds no message. The connection lives on. */
export type BadFrame =
  | { readonly kind: 'unparsable'; readonly reason: string; readonly start: string }
  /** Longer than the limit, so dropped. `id` was read from what was kept of it, when it could be; `isResponse` says which side it belonged to. */
  | {
      readonly kind: 'too-large';
      readonly limit: number;
      readonly id: RequestId | undefined;
      readonly isResponse: boolean;
    };

/**
 * A channel for messages. Set the callbacks, then call `start`. What `onmessage` hands over is decoded JSON and nothing more:
 * the receiver checks its shape. `send` may return a promise that settles when the message has left, or when the answer has come
 * where message and answer are one exchange; it throws (or rejects) when the message cannot be sent, or the answer cannot come any
 * more. `onclose` is called once for each start.
 */
export interface Transport {
  start(): Promise<void>;
  send(message: JSONRPCMessage | JSONRPCBatch, options?: TransportSendOptions): Promise<void> | void;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  onbadframe?: ((frame: BadFrame) => void) | undefined;
  /** Where there is this member, it takes the object whose callbacks are called, and sets none of its own: for a transport of which there may be thousands. */
  attachSide?(side: TransportSide): void;
  sessionId?: string | undefined;
  /** Set by the server it is connected to, like the next two, where it has this member. A transport that keeps no sessions calls it with the version that a message names before it hands the message over. */
  onassumed?: ((version: string | undefined) => boolean) | undefined;
  /** Set by the server it is connected to: says which arguments of a call HTTP headers repeat. */
  mirroredParams?:
    | ((call: { readonly method: string; readonly params: JsonObject }) => readonly MirroredParam[])
    | undefined;
  /** Set by whoever it is connected to: for a method that an extension adds, the member of the params that `Mcp-Name` repeats. */
  namedBy?: ((method: string) => string | undefined) | undefined;
  /** The id of a request that is sent over it, where several processes speak with one client: the same for the same number. */
  requestId?(number: number): RequestId;
  /** Told once, when the revision of the connection is known. */
  setProtocolVersion?: ((version: string) => void) | undefined;
  /** Told whenever the revision changes in whose words the next messages are: what it makes of HTTP. */
  setHttpRules?: ((rules: HttpRules) => void) | undefined;
  /** Set by whoever connects. Told when the transport waits for a person, and when that is over: until then nothing is late. */
  onwaiting?: ((isWaiting: boolean) => void) | undefined;
  /** Extensions that the transport itself makes use of; a client declares them. */
  readonly extensions?: readonly string[] | undefined;
  /** What carries its messages, for those who write that down. */
  readonly carrier?: Carrier | undefined;
  /** Whether messages have headers beside them. */
  readonly hasHeaders?: boolean | undefined;
}

/** Whom a transport tells. */
export type TransportSide = Pick<Transport, 'onclose' | 'onerror' | 'onmessage'>;

/** A client transport that can say what it is connected to and can be started again after it has closed. */
export interface RestartableTransport extends Transport {
  /** Stable for the same program: what is learnt about the peer is remembered under this key. */
  readonly identity: string;
  readonly restartable: true;
  /** Why the last run ended, with everything that explains it. */
  readonly lastFailure: Error | undefined;
  /** A run ends when the peer forgets it or is out of reach, and a new one costs next to nothing: it is begun without being asked for. */
  readonly renewable?: boolean | undefined;
  /** Set while it goes on with a session that was opened before, and agreed on in that version where it is known. */
  readonly resumed?: { readonly protocolVersion: string | undefined } | undefined;
  /** The transport with two endpoints, which is to be remembered with what is learnt. */
  readonly hasTwoEndpoints?: boolean | undefined;
}

export function isRestartable(transport: Transport): transport is RestartableTransport {
  return 'restartable' in transport && transport.restartable === true;
}
