// A server over HTTP, and supergateway in front of it, which speaks over stdio.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { addFeatures } from './features.mjs';

const sessions = new Map();
async function openSession() {
  const server = new McpServer({ name: 'behind', version: '1.0.0' });
  addFeatures(server);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await server.connect(transport);
  return transport;
}

async function serve(request, response) {
  const known = sessions.get(request.headers['mcp-session-id']);
  await (known ?? (await openSession())).handleRequest(request, response);
}

const http = createServer((request, response) => void serve(request, response));
http.listen(0, '127.0.0.1', () => {
  const gateway = join('node_modules', 'supergateway', 'dist', 'index.js');
  const args = [gateway, '--streamableHttp', `http://127.0.0.1:${http.address().port}/mcp`, '--logLevel', 'none'];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  child.on('exit', (code) => process.exit(code ?? 1));
  process.on('SIGTERM', () => child.kill());
});
