import {
  kindOf,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCResponse,
} from '../../../jsonrpc/message.ts';
import type { Nodes } from './nodes.ts';
import type { LiveSession } from '../sessions/live-session.ts';

/** How many ids of one POST are looked at: no client was asked more at once, and each look costs time. */
const MAX_LOOKS = 1000;

export function hasRequests(value: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  return messages.some((message) => kindOf(message) === 'request');
}

/**
 * Hands on what a client sent here and what is for another node: answers to what that node asked, and progress on them; and what may be for
 * any, the cancellation of a request that is not worked on here. Gives what is left; `undefined` when nothing is. However much one POST
 * brings, each node that asked this client something is written to once, and no other; what was answered twice is sent once.
 */
export async function sendElsewhere(value: unknown, session: LiveSession, nodes: Nodes): Promise<unknown> {
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  const left: unknown[] = [];
  const mail = new Map<string, Map<unknown, JSONRPCMessage>>();
  const cancelled: JSONRPCMessage[] = [];
  let looks = 0;
  for (const message of messages) {
    const id = askedId(message);
    const node = id === undefined || (looks += 1) > MAX_LOOKS ? undefined : nodes.nodeOf(session.id, id);
    if (node !== undefined && node !== nodes.id) {
      const forNode = mail.get(node) ?? new Map<unknown, JSONRPCMessage>();
      mail.set(node, forNode);
      // Progress on a question and its answer have one id.
      const key = `${kindOf(message)} ${String(id)}`;
      if (!forNode.has(key)) forNode.set(key, message as JSONRPCMessage);
    } else if (cancelsElsewhere(message, session)) cancelled.push(message as JSONRPCMessage);
    else left.push(message);
  }
  for (const [node, forNode] of mail) await nodes.forward(node, session.id, [...forNode.values()]);
  if (cancelled.length > 0) await nodes.signal({ kind: 'cancelled', session: session.id, messages: cancelled });
  if (left.length === messages.length) return value;
  return left.length === 0 ? undefined : left;
}

/** The id of the request to the client that a message answers or reports progress on. */
function askedId(message: unknown): unknown {
  const kind = kindOf(message);
  if (kind === 'result' || kind === 'error') return (message as JSONRPCResponse).id;
  if (kind !== 'notification') return undefined;
  const { method, params } = message as JSONRPCNotification;
  return method === 'notifications/progress' ? params?.['progressToken'] : undefined;
}

function cancelsElsewhere(message: unknown, { transport }: LiveSession): boolean {
  if (kindOf(message) !== 'notification') return false;
  const { method, params } = message as JSONRPCNotification;
  return method === 'notifications/cancelled' && !transport.worksOn(params?.['requestId']);
}
