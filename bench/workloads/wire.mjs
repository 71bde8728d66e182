// The messages on the wire: bodies with a place for the id, and the headers that go with them.
import { ID_MARK } from '../measure/http-load.mjs';

export const HANDSHAKE = '2025-11-25';
export const PER_REQUEST = '2026-07-28';
const CLIENT = { name: 'bench-driver', version: '1.0.0' };
const PREFIX = 'io.modelcontextprotocol/';

const META = {
  [`${PREFIX}protocolVersion`]: PER_REQUEST,
  [`${PREFIX}clientInfo`]: CLIENT,
  [`${PREFIX}clientCapabilities`]: {},
};

/** A request of the given family as an object. */
export function request(family, { id, method, params = {}, capabilities }) {
  if (family === 'handshake') return { jsonrpc: '2.0', id, method, params };
  const meta = capabilities === undefined ? META : { ...META, [`${PREFIX}clientCapabilities`]: capabilities };
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } };
}

export const initialize = ({ id = 1, revision = HANDSHAKE, capabilities = {} } = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion: revision, capabilities, clientInfo: CLIENT },
});
export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** The text of a request in which the load generator writes the id. */
export const withIdMark = (message) => JSON.stringify({ ...message, id: ID_MARK }).replace(`"${ID_MARK}"`, ID_MARK);

/** The headers of a POST. */
export function headersOf(family, message, { revision = HANDSHAKE, accept, session } = {}) {
  const headers = {
    'content-type': 'application/json',
    accept: accept ?? 'application/json, text/event-stream',
    'mcp-protocol-version': family === 'handshake' ? revision : PER_REQUEST,
  };
  if (session !== undefined) headers['mcp-session-id'] = session;
  if (family === 'per-request') {
    headers['mcp-method'] = message.method;
    const name = message.params?.name ?? message.params?.taskId;
    if (name !== undefined) headers['mcp-name'] = name;
  }
  return headers;
}

export const callAdd = { method: 'tools/call', params: { name: 'add', arguments: { a: 2, b: 3 } } };
export const SUM_IS_RIGHT = '"sum":5';
