// A server of one file, to be killed: counts what it carries out in a file that outlives it. Arguments: port, journal.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [port, journal, ...flags] = process.argv.slice(2);
const hasSessions = flags.includes('sessions');
const version = flags.find((flag) => flag.startsWith('version='))?.slice(8);
const sessions = new Set();
const tools = [
  { name: 'once', inputSchema: { type: 'object' } },
  { name: 'any', inputSchema: { type: 'object' }, annotations: { idempotentHint: true } },
];

function resultOf({ method, params }) {
  if (method === 'server/discover')
    return {
      resultType: 'complete',
      supportedVersions: [version],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: 'private',
    };
  if (method === 'initialize')
    return { protocolVersion: version, capabilities: { tools: {} }, serverInfo: { name: 'mortal', version: '1' } };
  if (method === 'tools/list') return { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' };
  if (method !== 'tools/call') return {};
  appendFileSync(journal, `${params.name} ${params.arguments.n}\n`);
  return { resultType: 'complete', content: [{ type: 'text', text: String(params.arguments.n) }] };
}

async function serve(request, response) {
  let body = '';
  for await (const chunk of request) body += chunk;
  const refuse = (status, message) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }));
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const message = JSON.parse(body);
  if (hasSessions && message.method === 'server/discover') return void refuse(400, 'Bad Request: Missing session ID');
  if (hasSessions && message.method !== 'initialize' && !sessions.has(request.headers['mcp-session-id']))
    return void refuse(404, 'Session not found');
  if (message.id === undefined) return void response.writeHead(202).end();
  const headers = { 'content-type': 'application/json' };
  if (hasSessions && message.method === 'initialize') {
    headers['mcp-session-id'] = crypto.randomUUID();
    sessions.add(headers['mcp-session-id']);
  }
  const result = resultOf(message);
  // Between the deed and the answer is where a server likes to die.
  setTimeout(
    () => response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result })),
    message.method === 'tools/call' ? 20 : 0,
  );
}

const server = createServer((request, response) => void serve(request, response));
server.listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
