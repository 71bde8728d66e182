// v2-server.mjs stdio|http: a server on version 2 of the official SDK. Its McpServer takes what that of v1 takes.
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { addV2Features } from './v2-features.mjs';
import { serveFetch } from './serve-fetch.mjs';

function newServer() {
  const server = new McpServer({ name: 'v2', version: '1.0.0' }, { capabilities: { logging: {} } });
  addV2Features(server);
  return server;
}

if (process.argv[2] === 'stdio') serveStdio(newServer);
else serveFetch(createMcpHandler(newServer).fetch);
