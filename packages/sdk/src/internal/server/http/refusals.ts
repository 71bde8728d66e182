/** The refusals of v1's transports, in its words and with its codes. */
import { SUPPORTED_PROTOCOL_VERSIONS } from '../../types/versions.ts';
import { MAX_BATCH_SIZE, requestBodyTooLargeMessage } from '../../../server/requestBody.ts';
import type { HttpReply } from './exchange.ts';

export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** True for a refusal that is no news to the program, which `onerror` is not told of. */
  readonly isExpected?: boolean;
}

const SERVER_ERROR = -32_000;
const NOT_FOUND = -32_001;
const INVALID_REQUEST = -32_600;
const PARSE_ERROR = -32_700;

const refusal = (status: number, message: string, code: number = SERVER_ERROR): Refusal => ({ status, code, message });

type Fault =
  | 'postAccept'
  | 'getAccept'
  | 'mediaType'
  | 'notJson'
  | 'notMessage'
  | 'bodyTimeout'
  | 'batchTooLarge'
  | 'initialized'
  | 'initializesTwice'
  | 'idInUse'
  | 'notInitialized'
  | 'noSessionId'
  | 'otherSession'
  | 'closed'
  | 'secondStanding'
  | 'secondReader'
  | 'eventId'
  | 'method';

export const REFUSED: Readonly<Record<Fault, Refusal>> = {
  postAccept: refusal(406, 'Not Acceptable: Client must accept both application/json and text/event-stream'),
  getAccept: refusal(406, 'Not Acceptable: Client must accept text/event-stream'),
  mediaType: refusal(415, 'Unsupported Media Type: Content-Type must be application/json'),
  notJson: refusal(400, 'Parse error: Invalid JSON', PARSE_ERROR),
  notMessage: refusal(400, 'Parse error: Invalid JSON-RPC message', PARSE_ERROR),
  bodyTimeout: refusal(408, 'Request Timeout: Request body did not arrive in time'),
  batchTooLarge: refusal(400, `Invalid Request: Batch must not exceed ${MAX_BATCH_SIZE} messages`, INVALID_REQUEST),
  initialized: refusal(400, 'Invalid Request: Server already initialized', INVALID_REQUEST),
  initializesTwice: refusal(400, 'Invalid Request: Only one initialization request is allowed', INVALID_REQUEST),
  idInUse: refusal(400, 'Invalid Request: Request ID is already in use', INVALID_REQUEST),
  notInitialized: refusal(400, 'Bad Request: Server not initialized'),
  noSessionId: refusal(400, 'Bad Request: Mcp-Session-Id header is required'),
  otherSession: refusal(404, 'Session not found', NOT_FOUND),
  closed: { ...refusal(404, 'Session not found', NOT_FOUND), isExpected: true },
  secondStanding: refusal(409, 'Conflict: Only one SSE stream is allowed per session'),
  secondReader: refusal(409, 'Conflict: Stream already has an active connection'),
  eventId: refusal(400, 'Invalid event ID format'),
  method: { ...refusal(405, 'Method not allowed.'), headers: { Allow: 'GET, POST, DELETE' } },
};

export function bodyTooLarge(maxBytes: number): Refusal {
  // The rest of the body is not read, so the connection cannot be used again.
  return { ...refusal(413, requestBodyTooLargeMessage(maxBytes)), headers: { Connection: 'close' } };
}

export function unsupportedVersion(version: string | undefined): Refusal {
  const supported = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
  return refusal(400, `Bad Request: Unsupported protocol version: ${version} (supported versions: ${supported})`);
}

/** For a POST that fails while it is taken in, such as by a callback of the program that throws. */
export function parseError(error: unknown): Refusal {
  return { ...refusal(400, 'Parse error', PARSE_ERROR), data: String(error), isExpected: true };
}

export const REPLAY_FAILED: Refusal = { ...refusal(500, 'Error replaying events'), isExpected: true };

export function forbidden(message: string): Refusal {
  return refusal(403, message);
}

/** Sends a refusal. An error that answers no request has the id `null`. */
export function sendRefusal(reply: HttpReply, { status, code, message, data, headers }: Refusal): void {
  const error = data === undefined ? { code, message } : { code, message, data };
  reply.send(
    status,
    { 'Content-Type': 'application/json', ...headers },
    JSON.stringify({ jsonrpc: '2.0', error, id: null }),
  );
}
