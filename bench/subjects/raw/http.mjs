import { randomUUID } from 'node:crypto';
import { listen } from '../listen.mjs';
import { createAnswer } from './answer.mjs';

function readBody(request, done) {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => done((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString()));
}

const sendJson = (response, answer, extra) => sendText(response, JSON.stringify(answer), extra);

function sendText(response, text, extra) {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...extra });
  response.end(text);
}

/** `session`: each client gets an id that it names from then on, and answers are event streams. Otherwise each request stands alone. */
export async function start({ mode, redis, maxBodyBytes: _any, ...options }) {
  const answerTo = createAnswer(options);
  const readyList = options.isListReady ? JSON.stringify(answerTo({ id: 0, method: 'tools/list' }).result) : undefined;
  const sessions = redis === undefined ? new Map() : await sessionsIn(redis);
  const streams = new Set();

  const openStream = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
    streams.add(response);
    response.on('close', () => streams.delete(response));
  };
  const inSession = async (message, answer, request, response) => {
    if (message.method === 'initialize') {
      const id = randomUUID();
      await sessions.set(id, { client: message.params?.clientInfo });
      return sendJson(response, answer, { 'mcp-session-id': id });
    }
    const isOpen = sessions.has(request.headers['mcp-session-id']);
    if (!(redis === undefined ? isOpen : await isOpen)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.end(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
  };
  const onBody = (text, request, response) => {
    const message = JSON.parse(text);
    if (message.method === 'subscriptions/listen') return openStream(response);
    if (readyList !== undefined)
      return sendText(response, `{"jsonrpc":"2.0","id":${message.id},"result":${readyList}}`);
    const answer = answerTo(message);
    if (answer === undefined) return void response.writeHead(202).end();
    if (answer instanceof Promise) return void answer.then((late) => sendJson(response, late));
    if (mode === 'session') return inSession(message, answer, request, response);
    sendJson(response, answer);
  };
  const change = () => {
    const line = `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n\n`;
    for (const stream of streams) stream.write(line);
  };
  return listen((request, response) => {
    if (request.method === 'GET') return openStream(response);
    if (request.method === 'DELETE') {
      sessions.delete(request.headers['mcp-session-id']);
      return void response.writeHead(200).end();
    }
    readBody(request, (text) => onBody(text, request, response));
  }).then(({ port }) => ({ port, commands: { change } }));
}

/** Sessions that other processes can see. */
async function sessionsIn(url) {
  const { createClient } = await import('@redis/client');
  const client = await createClient({ url }).connect();
  return {
    set: (id, session) => client.set(`session:${id}`, JSON.stringify(session)),
    has: async (id) => (await client.get(`session:${id}`)) !== null,
  };
}
