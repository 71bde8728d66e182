import { Agent, request as httpRequest } from 'node:http';
import { headersOf, initialize, INITIALIZED } from './wire.mjs';

const LIMIT_MS = 30_000;

/** Posts one message and reads the answer to its end. */
export function post({ port, agent, headers }, message) {
  const body = JSON.stringify(message);
  return new Promise((resolve, reject) => {
    const options = { port, agent, host: '127.0.0.1', path: '/mcp', method: 'POST', timeout: LIMIT_MS };
    const request = httpRequest({ ...options, headers: { ...headers, 'content-length': Buffer.byteLength(body) } });
    request.on('timeout', () => request.destroy(new Error(`No answer to ${message.method} within ${LIMIT_MS} ms.`)));
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
      response.on('error', reject);
    });
    request.end(body);
  });
}

async function openSession({ port, agent, revision, capabilities }) {
  const opening = initialize({ revision, capabilities });
  const headers = headersOf('handshake', opening, { revision });
  const { status, headers: answered, text } = await post({ port, agent, headers }, opening);
  const session = answered['mcp-session-id'];
  if (status !== 200 || session === undefined) throw new Error(`No session: ${status} ${text.slice(0, 300)}`);
  await post({ port, agent, headers: headersOf('handshake', INITIALIZED, { revision, session }) }, INITIALIZED);
  return session;
}

/** Ends sessions, one after the other. A server that cannot end them keeps them. */
export async function endSessions(port, sessions, { revision } = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const end = (session) =>
    new Promise((resolve, reject) => {
      const { 'content-type': _type, ...headers } = headersOf('handshake', {}, { revision, session });
      const request = httpRequest({ port, agent, host: '127.0.0.1', path: '/mcp', method: 'DELETE', headers });
      request.on('error', reject);
      request.on('response', (response) => response.resume().on('end', resolve));
      request.end();
    });
  for (const session of sessions) await end(session);
  agent.destroy();
}

/**
 * Opens sessions, a few at a time.
 * @param {number} port
 * @param {{ count: number, atOnce?: number, http?: { revision?: string }, capabilities?: object }} how
 * @returns {Promise<string[]>} their ids
 */
export async function openSessions(port, { count, atOnce = 8, http = {}, capabilities }) {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const ids = [];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const index = next++;
      ids[index] = await openSession({ port, agent, revision: http.revision, capabilities });
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, lane));
  } finally {
    agent.destroy();
  }
  return ids;
}
