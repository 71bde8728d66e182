import type { ErrorObject, JSONRPCRequest, JsonObject } from '../jsonrpc/message.ts';
import type { CapabilityPath, ClientCapabilities, ServerCapabilities } from '../protocol/capabilities.ts';
import type { ProtocolError } from '../protocol/errors.ts';
import type { Implementation } from '../protocol/implementation.ts';
import type { Ask, Inbound, Outbound, Outcome } from '../protocol/outcome.ts';

/** Stateful with an `initialize` handshake, or stateless with the facts in every request. */
export type Family = 'handshake' | 'per-request';

/** A method is a value: who sends it, what it needs, what it may do. */
export interface MethodInfo {
  readonly sender: 'client' | 'server' | 'both';
  readonly kind: 'request' | 'notification';
  /** The capability of the side that offers the feature: of the receiver for requests, of the sender for notifications. */
  readonly needs?: CapabilityPath;
  /** The request may be answered with questions to the client. */
  readonly mayAsk?: true;
  /** The result carries cache hints. */
  readonly cacheable?: true;
}

/** Method → descriptor. A method that a revision lacks is simply absent. */
export type Vocabulary = ReadonlyMap<string, MethodInfo>;

/** The rules of a revision for HTTP; only the HTTP transports read them. */
export interface HttpRules {
  /** One endpoint for everything; otherwise a stream to read from and an endpoint to post to. */
  readonly streamable: boolean;
  /** A handshake may open a session, which can be read with GET and ended with DELETE. */
  readonly sessions: boolean;
  /** The requests that must carry the version header. */
  readonly versionHeader: 'none' | 'after-opening' | 'all';
  /** Whether headers repeat parts of the body, so that the two must be checked against each other. */
  readonly mirrorsBody: boolean;
  /** Whether a stream begins with an empty event that makes it resumable, and may be closed early with `retry`. */
  readonly polling: boolean;
  /** Whether closing the connection of a request cancels it; otherwise only a notification does. */
  readonly cancelsByClosing: boolean;
  /** The status of an error that is the whole answer to a request. */
  errorStatus(error: ErrorObject): number;
}

/**
 * One protocol revision, chosen once per connection or per request. Code asks it questions and never its name; `id` is for the wire
 * and for people. `read*` takes what came from the peer and may throw a `ProtocolError` that can be answered; `write*` takes the neutral
 * model and gives this revision's words, dropping or mapping what it has none for. Neither changes its arguments.
 */
export interface Revision {
  readonly id: string;
  /** The version that the earliest implementations call it; a client that names it is answered with it. */
  readonly formerId?: string;
  readonly family: Family;
  readonly methods: Vocabulary;
  /** Whether an array of messages is a message. */
  readonly batches: boolean;
  /** The id of an error whose request id could not be read; `undefined` leaves the member out. */
  readonly unreadableId: null | undefined;
  /** How arguments that break a tool's input schema are answered: as a result the model can read, or as a protocol error. */
  readonly argumentErrors: 'result' | 'error';
  /** The structured content that a tool may return; any other value is sent as JSON text. */
  readonly structuredContent: 'any' | 'objects' | 'none';

  readRequest(request: JSONRPCRequest): Inbound;
  writeResult(method: string, outcome: Outcome, server: Implementation): JsonObject;
  /** The params to send, or `undefined` where this revision has no such notification. */
  writeNotification(method: string, params: JsonObject): JsonObject | undefined;
  /** This revision's words for a question, or `undefined` where it has none. */
  writeAsk(ask: Ask): Ask | undefined;
  writeImplementation(info: Implementation): JsonObject;
  writeServerCapabilities(capabilities: ServerCapabilities): JsonObject;
  readError(error: ErrorObject): ProtocolError;
  writeError(error: ProtocolError): ErrorObject;
}

/** The words of a revision that clients alone need. They are apart from `Revision` so that servers do not carry them. */
export interface ClientWords {
  /** The params to send. */
  writeRequest(call: Outbound): JsonObject;
  /** `typesOf` gives the result types that the request's extensions add to a method; any other unknown type is an invalid result. */
  readResult(method: string, wire: JsonObject, typesOf?: (method: string) => ReadonlySet<string>): Outcome;
  writeClientCapabilities(capabilities: ClientCapabilities): JsonObject;
  /** Whether a handshake that was refused with this HTTP status may have met a server of the two-endpoint transport. */
  suggestsTwoEndpoints(status: number): boolean;
}
