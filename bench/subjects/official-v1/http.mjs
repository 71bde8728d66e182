import { randomUUID } from 'node:crypto';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { listen } from '../listen.mjs';
import { serverFactory } from './server.mjs';

export async function start({ mode, ...options }) {
  const createServer = serverFactory(options);
  return mode === 'session'
    ? serveSessions(createServer)
    : listen((request, response) => answer(createServer(), request, response));
}

async function answer(server, request, response) {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on('close', () => {
    void transport.close();
    void server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

async function serveSessions(createServer) {
  const sessions = new Map();
  const open = async () => {
    const server = createServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, { server, transport }),
    });
    await server.connect(transport);
    return transport;
  };
  const { port } = await listen(async (request, response) => {
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
