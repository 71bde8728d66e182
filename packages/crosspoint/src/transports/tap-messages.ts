import type { JSONRPCBatch, JSONRPCMessage } from '../jsonrpc/message.ts';
import { attempt } from '../runtime/guard.ts';
import type { HttpHeaders, HttpReply, HttpRequest } from './http/server/adapters/exchange.ts';
import type { Transport } from './transport.ts';

/** Where a message was seen. */
interface TapFacts {
  /** Id of the session, where there is one and it is known. */
  readonly sessionId: string | undefined;
  /** The HTTP request that carries the message, or whose answer does. */
  readonly request?: HttpRequest;
}

interface Tap {
  /** For `tap` of `createMcpHandler`. */
  readonly handler: (request: HttpRequest, reply: HttpReply) => void;
  /** Taps a transport, of either side, and returns it. To be called before the transport is connected. */
  readonly transport: <T extends Transport>(transport: T) => T;
}

type See<Value> = (direction: 'received' | 'sent', message: Value, facts: TapFacts) => void;

/**
 * Shows every message of a transport or an HTTP handler to a function, as it is on the wire: for recorders. Messages cannot be changed, and an error that the
 * function throws is dropped. A message that a resumed stream repeats is shown again.
 *
 * ```ts
 * const tap = tapMessages((direction, message) => console.log(direction, message));
 * createMcpHandler(server, { tap: tap.handler });
 * await client.connect(tap.transport(new StdioClientTransport({ command: 'server' })));
 * ```
 */
export function tapMessages(onmessage: See<JSONRPCMessage>): Tap {
  const see: See<unknown> = (direction, value, facts) => {
    for (const message of Array.isArray(value) ? (value as unknown[]) : [value])
      attempt(() => onmessage(direction, message as JSONRPCMessage, facts), undefined);
  };
  return {
    handler: (request, reply) => tapExchange(request, reply, see),
    transport: (transport) => tapTransport(transport, see),
  };
}

function tapTransport<T extends Transport>(transport: T, see: See<unknown>): T {
  const { onmessage } = transport;
  const send = transport.send.bind(transport);
  transport.onmessage = (message, extra) => {
    see('received', message, { sessionId: transport.sessionId });
    onmessage?.(message, extra);
  };
  transport.send = (message: JSONRPCMessage | JSONRPCBatch, options) => {
    see('sent', message, { sessionId: transport.sessionId });
    return send(message, options);
  };
  return transport;
}

/** Puts itself before the methods of this one request and its reply, through which all text of an exchange goes. */
function tapExchange(request: HttpRequest, reply: HttpReply, see: See<unknown>): void {
  let sessionId = request.header('mcp-session-id');
  const noteSession = (headers: HttpHeaders): void => {
    for (const [name, value] of Object.entries(headers))
      if (name.toLowerCase() === 'mcp-session-id') sessionId ??= value;
  };
  const seen = (direction: 'received' | 'sent', text: string | undefined): string | undefined => {
    const value = text === undefined || text === '' ? undefined : parsed(text);
    if (value !== undefined) see(direction, value, { sessionId, request });
    return text;
  };
  if (request.parsedBody !== undefined) see('received', request.parsedBody, { sessionId, request });
  const arrivedText = request.arrivedText?.bind(request);
  const readText = request.readText.bind(request);
  if (arrivedText) request.arrivedText = (limits) => seen('received', arrivedText(limits));
  request.readText = async (limits) => seen('received', await readText(limits)) ?? '';
  const seenEvents = (text: string): void => {
    for (const event of text.split('\n\n')) seen('sent', dataOf(event));
  };
  const send = reply.send.bind(reply);
  const open = reply.open.bind(reply);
  reply.send = (status, headers, body) => {
    noteSession(headers);
    // JSON, or a stream that is sent as a whole.
    if (/^[{[]/.test(body ?? '')) seen('sent', body);
    else seenEvents(body ?? '');
    send(status, headers, body);
  };
  reply.open = (status, headers, isStanding) => {
    noteSession(headers);
    const stream = open(status, headers, isStanding);
    const write = stream.write.bind(stream);
    stream.write = (text) => {
      seenEvents(text);
      return write(text);
    };
    return stream;
  };
}

function dataOf(event: string): string {
  return event
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5))
    .join('\n')
    .trim();
}

/** The JSON in a text; `undefined` for other text, such as the address that the older transport begins with. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
