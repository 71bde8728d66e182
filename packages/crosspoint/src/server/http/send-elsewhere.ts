import { kindOf, type JSONRPCMessage, type JSONRPCNotification, type JSONRPCResponse } from '../../jsonrpc/message.ts';
import { nodeOf, type Nodes } from './nodes.ts';
import type { LiveSession } from './sessions.ts';

export function hasRequests(value: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  return messages.some((message) => kindOf(message) === 'request');
}

/**
 * Hands on what a client sent here and what is for another node: answers to what that node asked, and progress on them; and what may be for
 * any, the cancellation of a request that is not worked on here. Gives what is left; `undefined` when nothing is.
 */
export async function sendElsewhere(value: unknown, session: LiveSession, nodes: Nodes): Promise<unknown> {
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  const left: unknown[] = [];
  for (const message of messages) {
    const kind = kindOf(message);
    const node = nodeOf(
      kind === 'result' || kind === 'error' ? (message as JSONRPCResponse).id : progressTokenOf(message),
    );
    if (node !== undefined && node !== nodes.id) await nodes.forward(node, session.id, message as JSONRPCMessage);
    else if (cancelsElsewhere(message, session))
      await nodes.signal({ kind: 'cancelled', session: session.id, message: message as JSONRPCMessage });
    else left.push(message);
  }
  if (left.length === messages.length) return value;
  return left.length === 0 ? undefined : left;
}

function progressTokenOf(message: unknown): unknown {
  if (kindOf(message) !== 'notification') return undefined;
  const { method, params } = message as JSONRPCNotification;
  return method === 'notifications/progress' ? params?.['progressToken'] : undefined;
}

function cancelsElsewhere(message: unknown, { transport }: LiveSession): boolean {
  if (kindOf(message) !== 'notification') return false;
  const { method, params } = message as JSONRPCNotification;
  return method === 'notifications/cancelled' && !transport.worksOn(params?.['requestId']);
}
