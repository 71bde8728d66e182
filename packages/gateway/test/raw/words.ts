import type { Message, RawLines } from './lines.ts';

export const OLD = '2025-11-25';
export const NEW = '2026-07-28';
export const P = 'io.modelcontextprotocol/';

/** `_meta` of a request without a session. */
export function facts(capabilities: object = {}, more: object = {}): Message {
  return {
    [`${P}protocolVersion`]: NEW,
    [`${P}clientCapabilities`]: capabilities,
    [`${P}clientInfo`]: { name: 'raw', version: '1' },
    ...more,
  };
}

export const initialize = (capabilities: object = {}, version: string = OLD): Message => ({
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: version, capabilities, clientInfo: { name: 'raw', version: '1' } },
});

export const INITIALIZED: Message = { method: 'notifications/initialized' };

export interface OldServer {
  readonly capabilities?: object;
  readonly version?: string;
  /** Everything but the handshake. */
  readonly on?: (message: Message, peer: RawLines) => void;
}

/** A server with a handshake, by hand: it refuses everything that it does not know. */
export function oldServer({ capabilities = { tools: {} }, version = OLD, on }: OldServer = {}) {
  return (message: Message, peer: RawLines): void => {
    const { id, method } = message;
    if (method === 'initialize')
      peer.send({
        id,
        result: {
          protocolVersion: version,
          capabilities,
          serverInfo: { name: 'old', version: '1' },
          instructions: 'Old.',
        },
      });
    else if (method === 'server/discover') peer.send({ id, error: { code: -32601, message: 'unknown' } });
    else if (method === 'ping') peer.send({ id, result: {} });
    else on?.(message, peer);
  };
}

/** A server without sessions, by hand. */
export function newServer({
  capabilities = { tools: {} },
  info = { name: 'new', version: '1' } as object | undefined,
  on,
}: {
  capabilities?: object;
  info?: object | undefined;
  on?: (message: Message, peer: RawLines) => void;
} = {}) {
  return (message: Message, peer: RawLines): void => {
    const { id, method } = message;
    if (method === 'server/discover')
      peer.send({
        id,
        result: {
          resultType: 'complete',
          supportedVersions: [NEW],
          capabilities,
          instructions: 'New.',
          ttlMs: 0,
          cacheScope: 'private',
          ...(info && { _meta: { [`${P}serverInfo`]: info } }),
        },
      });
    else if (method === 'initialize') peer.send({ id, error: { code: -32601, message: 'unknown' } });
    else on?.(message, peer);
  };
}

export const says = (text: string, more: object = {}): object => ({ content: [{ type: 'text', text }], ...more });
