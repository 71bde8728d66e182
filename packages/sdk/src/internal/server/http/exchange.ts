import { protocolRevisions, PROTOCOL_VERSION_META_KEY } from 'crosspoint';
import type { StreamableHTTPServerTransport } from 'crosspoint/server';

/** One HTTP reply, whole or as a stream, as `crosspoint` gives it to the transports on it. */
export type HttpReply = Parameters<StreamableHTTPServerTransport['serve']>[1];
export type HttpStream = ReturnType<HttpReply['open']>;

const PER_REQUEST: ReadonlySet<unknown> = new Set(
  protocolRevisions.filter(({ family }) => family === 'per-request').map(({ id }) => id),
);

/** Whether an `MCP-Protocol-Version` header is that of a client without handshakes, which `crosspoint` serves by itself. */
export function isPerRequest(version: string | null | undefined): boolean {
  return PER_REQUEST.has(version);
}

/** Whether the body of a POST is a message that names its own revision, as those of clients without handshakes do. */
export function namesItsRevision(body: unknown): boolean {
  const { _meta: meta } = (body as { params?: { _meta?: unknown } } | null)?.params ?? {};
  return typeof meta === 'object' && meta !== null && PROTOCOL_VERSION_META_KEY in meta;
}
