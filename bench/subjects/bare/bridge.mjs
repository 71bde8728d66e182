// The reference of the bridges: the least work of one more hop. JSON is parsed and written in both directions, over connections that stay open; nothing is checked,
// translated, matched or kept.
import { spawn } from 'node:child_process';
import { Agent, request as httpRequest } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { Ring } from '../../measure/ring.mjs';
import { listen } from '../listen.mjs';

const CARRIED = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name'];
const STDIO_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
};
const OPENING = [
  {
    method: 'initialize',
    id: 0,
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bare', version: '1.0.0' } },
  },
  { method: 'notifications/initialized' },
];
const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';

function readBody(stream, done) {
  const chunks = [];
  stream.on('data', (chunk) => chunks.push(chunk));
  stream.on('end', () => done((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString()));
}

/** Posts messages to the server and hands their answers over. */
function poster(url) {
  const { hostname: host, port, pathname: path } = new URL(url);
  const agent = new Agent({ keepAlive: true });
  return (message, headers, done) => {
    const text = JSON.stringify(message);
    const all = { ...headers, 'content-length': Buffer.byteLength(text) };
    const request = httpRequest({ host, port, path, method: 'POST', agent, headers: all }, (answered) =>
      readBody(answered, (body) => done(answered.statusCode, body === '' ? undefined : JSON.parse(body))),
    );
    request.end(text);
  };
}

/** Starts the server and sends it lines under ids of this hop. */
function child([file, ...args], family) {
  const { stdin, stdout } = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Ring();
  if (family === 'handshake')
    for (const message of OPENING) stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  readLines(stdout, (answer) => {
    const call = waiting.take(answer.id);
    call?.done(200, { ...answer, id: call.id });
  });
  return (message, _headers, done) => {
    const id = waiting.add({ id: message.id, done });
    stdin.write(`${JSON.stringify({ ...message, id })}\n`);
  };
}

function readLines(stream, take) {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop();
    for (const line of lines) take(JSON.parse(line));
  });
}

function answer(response, status, message) {
  if (message === undefined) return void response.writeHead(status).end();
  const text = JSON.stringify(message);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

const carried = (headers) => {
  const kept = {};
  for (const name of CARRIED) if (headers[name] !== undefined) kept[name] = headers[name];
  return kept;
};

/** Headers of a line: those of the newest wire repeat members of the message. */
function headersOf({ method, params = {} }) {
  const version = params._meta?.[PROTOCOL_VERSION];
  if (version === undefined) return STDIO_HEADERS;
  return {
    ...STDIO_HEADERS,
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(params.name && { 'mcp-name': params.name }),
  };
}

export function start({ face, url, command, family }) {
  const send = url === undefined ? child(command, family) : poster(url);
  if (face === 'http')
    return listen((request, response) =>
      readBody(request, (text) =>
        send(JSON.parse(text), carried(request.headers), (status, message) => answer(response, status, message)),
      ),
    );
  readLines(process.stdin, (message) =>
    send(message, headersOf(message), (_status, answered) => {
      if (answered !== undefined) process.stdout.write(`${JSON.stringify(answered)}\n`);
    }),
  );
}
