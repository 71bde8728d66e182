/** A scripted server at 127.0.0.1: Streamable HTTP at `/mcp`, and the older transport at `/sse`. Counts the requests. */
import { createServer } from 'node:http';
import { split } from '../inputs/mutate.mjs';
import { repliesTo } from './hostile-script.mjs';

const MOST_BODY = 4 * 1024 * 1024;

export class HostileHttp {
  script = {};
  lane;
  requests = 0;
  mostSockets = 0;
  #sockets = new Set();
  #streams = new Set();
  #http;

  /** @param {number} lane tells several of them apart */
  constructor(lane) {
    this.lane = lane;
  }

  async start() {
    this.#http = createServer((request, response) => void this.#serve(request, response));
    this.#http.on('connection', (socket) => {
      this.#sockets.add(socket);
      this.mostSockets = Math.max(this.mostSockets, this.#sockets.size);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => {});
    });
    await new Promise((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.#http.address().port}`;
    return this;
  }

  /** Resets the server for the next case. */
  reset(script) {
    this.script = script;
    for (const socket of this.#sockets) socket.destroy();
    this.#streams.clear();
    this.requests = 0;
    this.mostSockets = 0;
  }

  stop() {
    this.reset({});
    this.#http.close();
  }

  async #serve(request, response) {
    this.requests += 1;
    response.on('error', () => {});
    if (request.method === 'GET') return this.#stream(request, response);
    const messages = await readJson(request);
    const isPair = request.url?.startsWith('/messages');
    const replies = messages.map((message) => repliesTo(this.script, message)).filter((reply) => reply !== undefined);
    if (isPair) {
      response.writeHead(202).end();
      for (const reply of replies) for (const stream of this.#streams) sendEvents(stream, reply);
      return;
    }
    if (replies.length === 0) return void response.writeHead(this.script.accepted ?? 202).end();
    this.#answer(response, replies[0]);
  }

  /** The standing stream of either transport. */
  #stream(request, response) {
    const isPair = request.url?.startsWith('/sse');
    if (!isPair && this.script.standing === undefined) return void response.writeHead(405, { allow: 'POST' }).end();
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    if (isPair) {
      this.#streams.add(response);
      response.on('close', () => this.#streams.delete(response));
      response.write(this.script.endpoint ?? 'event: endpoint\ndata: /messages?sessionId=1\n\n');
    }
    const reply = repliesTo(
      { noise: this.script.standing ?? [], answers: { x: { frames: [] } } },
      { method: 'x', id: 0 },
    );
    sendEvents(response, reply);
  }

  #answer(response, reply) {
    const { status = 200, headers = {}, as = 'json', ending = 'end', cut = [], frames } = reply;
    if (ending === 'silence') return;
    try {
      response.writeHead(status, {
        'content-type': as === 'sse' ? 'text/event-stream' : 'application/json',
        'mcp-session-id': 's1',
        ...headers,
      });
    } catch {
      response.writeHead(200);
    }
    if (as === 'sse') sendEvents(response, reply);
    else for (const part of split(Buffer.from(frames.at(-1) ?? ''), cut)) response.write(part);
    if (ending === 'end') response.end();
    else if (ending === 'reset') response.socket?.resetAndDestroy();
  }
}

function sendEvents(response, { frames, cut = [], events }) {
  const text = events ?? frames.map((frame) => `data: ${frame.replaceAll(/\r\n|\r|\n/g, '\ndata: ')}\n\n`).join('');
  for (const part of split(Buffer.from(text), cut)) response.write(part);
}

async function readJson(request) {
  let text = '';
  try {
    for await (const chunk of request.setEncoding('utf8')) if (text.length < MOST_BODY) text += chunk;
    return [JSON.parse(text)].flat();
  } catch {
    return [];
  }
}
