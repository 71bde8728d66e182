// A server over HTTP, for a bridge that stands in front of it and speaks over stdio.
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

/** Starts the server, then the bridge with the arguments for its address; ends with the bridge. */
export function serveBehind(bridge, argsFor) {
  const http = createServer((request, response) => void serve(request, response));
  http.listen(0, '127.0.0.1', () => {
    const args = [join('node_modules', bridge), ...argsFor(`http://127.0.0.1:${http.address().port}/mcp`)];
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    child.on('exit', (code) => process.exit(code ?? 1));
    process.on('SIGTERM', () => child.kill());
  });
}
