// Streams on which a server tells of changes, of both families.
import { openSessions } from './http-sessions.mjs';
import { headersOf, request } from './wire.mjs';

export const CHANGED = 'notifications/tools/list_changed';

const headOf = (method, headers) =>
  [
    `${method} /mcp HTTP/1.1`,
    'host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
  ].join('\r\n');

/** Opens sessions and returns the requests for the standing stream of each. */
export async function getStreams(port, { count, http = {} }) {
  const sessions = await openSessions(port, { count, atOnce: 16, http });
  return sessions.map((session) => {
    const { 'content-type': _type, ...headers } = headersOf(
      'handshake',
      {},
      { ...http, session, accept: 'text/event-stream' },
    );
    return { head: headOf('GET', headers) };
  });
}

/** The requests for listen streams. */
export const listenStreams = (count) =>
  Array.from({ length: count }, (_, index) => {
    const params = { notifications: { toolsListChanged: true } };
    const message = request('per-request', { id: `listen-${index}`, method: 'subscriptions/listen', params });
    return { head: headOf('POST', headersOf('per-request', message)), body: JSON.stringify(message) };
  });

/** The text with which a listen stream begins; raw says nothing. */
export const listenBegins = (subject) => (subject === 'raw' ? undefined : 'notifications/subscriptions/acknowledged');
