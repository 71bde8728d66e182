// A server over stdio with the fault that its first argument names. It speaks the handshake by hand.
import { createInterface } from 'node:readline';

const [fault] = process.argv.slice(2);
const SLOW_MS = 3500;

if (fault === 'exits') {
  console.error('Error: the variable API_KEY is not set');
  process.exit(3);
}
if (fault === 'garbage') console.log('Server is starting on port 3000 ...');

const tools = {
  schema: [
    { name: 'pick', inputSchema: { type: 'object', oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] } },
  ],
};
const capabilities = {
  prompts: { tools: {}, prompts: {} },
  unlisted: { resources: {} },
  results: { tools: {}, prompts: {}, resources: {}, completions: {} },
};
const results = {
  'prompts/list': { prompts: [{ name: 'p', arguments: [{ name: 'a\u009B31m', required: true }] }] },
  'prompts/get': { messages: [{ role: 'user' }] },
  'resources/list': { resources: [] },
  'resources/templates/list': { resourceTemplates: [{ name: 't', uriTemplate: 'x:/{id' }] },
  'resources/read': { contents: { uri: 'x:/1' } },
  'completion/complete': { completion: { values: 'none' } },
};
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
const refuse = (id, code, message, data) =>
  console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function read(line) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') {
    if (fault === 'slow') await pause(SLOW_MS);
    const protocolVersion = fault === 'future' ? '2199-01-01' : (params.protocolVersion ?? '');
    const serverInfo = { name: 'broken', version: '1.0.0' };
    return answer(id, { protocolVersion, capabilities: capabilities[fault] ?? { tools: {} }, serverInfo });
  }
  if (method === 'tools/list' && fault !== 'unanswered')
    return answer(id, { tools: tools[fault] ?? [{ name: 'fine', inputSchema: { type: 'object' } }] });
  if (fault === 'unlisted' && method === 'resources/read')
    return answer(id, { contents: [{ uri: params.uri, text: 'read' }] });
  if (fault === 'results' && method in results) return answer(id, results[method]);
  if (method === 'ping') return answer(id, {});
  refuse(id, -32601, `Method not found: ${method}`);
}
createInterface({ input: process.stdin }).on('line', (line) => void read(line));
