import {
  kindOf,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCResponse,
} from '../../../jsonrpc/message.ts';
import type { Nodes } from './nodes.ts';
import type { LiveSession } from '../sessions/live-session.ts';

/** Most ids of one POST that are checked: no client is asked more at once, and each check costs time. */
const MAX_LOOKS = 1000;

/**
 * Forwards the messages of a client that are for other nodes: answers to their questions, progress on these, and cancellations of requests that do not
 * run here, which may be for any node. Returns the remaining messages; `undefined` when there are none. Each node that asked this client something is
 * written to once for each POST, and no other node; a question that was answered twice is forwarded once.
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
      // Progress on a question and its answer have the same id.
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
