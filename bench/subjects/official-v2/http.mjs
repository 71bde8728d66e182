import { randomUUID } from 'node:crypto';
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { listen } from '../listen.mjs';
import { serverFactory } from './server.mjs';

const validateHost = localhostHostValidation();
const validateOrigin = localhostOriginValidation();

/** Adds the guards that the library's documentation puts before every handler of `node:http`. */
const listenGuarded = (listener) =>
  listen((request, response) => {
    if (validateHost(request, response) && validateOrigin(request, response)) return listener(request, response);
  });

const MODES = {
  stateless: serveStateless,
  'per-request': servePerRequest,
  handler: servePerRequest,
  session: serveSessions,
};

export const start = ({ mode, ...options }) => MODES[mode](serverFactory(options));

/** The transport for older clients: `createMcpHandler` answers them with a stream, never with JSON. */
function serveStateless(createServer) {
  return listenGuarded(async (request, response) => {
    const server = createServer();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    });
    response.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });
}

async function servePerRequest(createServer) {
  const handler = createMcpHandler(createServer);
  const { port } = await listenGuarded(toNodeHandler(handler));
  return { port, commands: { change: () => handler.notify.toolsChanged() } };
}

async function serveSessions(createServer) {
  const sessions = new Map();
  const open = async () => {
    const server = createServer();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, { server, transport }),
    });
    await server.connect(transport);
    return transport;
  };
  const { port } = await listenGuarded(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const transport = id === undefined ? await open() : sessions.get(id)?.transport;
    if (transport === undefined) return void response.writeHead(404).end();
    await transport.handleRequest(request, response);
  });
  const change = () => {
    for (const { server } of sessions.values()) server.sendToolListChanged();
  };
  return { port, commands: { change } };
}
