import type { JSONRPCBatch, JSONRPCMessage, JSONRPCRequest, RequestId } from '../../../jsonrpc/message.ts';

/** Capabilities of a client that allow the server to ask it something. */
export const ASKING_CAPABILITIES: readonly string[] = ['elicitation', 'sampling', 'roots'];

export function beginsHandshake(message: JSONRPCMessage | JSONRPCBatch): message is JSONRPCRequest {
  return 'method' in message && message.method === 'initialize';
}

export function isDiscovery(message: JSONRPCMessage): boolean {
  return 'method' in message && (message.method === 'initialize' || message.method === 'server/discover');
}

export function endsHandshake(message: JSONRPCMessage | JSONRPCBatch): boolean {
  return 'method' in message && message.method === 'notifications/initialized';
}

export function cancelledBy(message: JSONRPCMessage | JSONRPCBatch): RequestId | undefined {
  return 'method' in message && message.method === 'notifications/cancelled'
    ? (message.params?.['requestId'] as RequestId | undefined)
    : undefined;
}
