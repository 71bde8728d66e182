// A server over stdio, by hand, that asks its user to open any address: node page-server.mjs URL. No library checks what it asks.
import { createInterface } from 'node:readline';

const [url] = process.argv.slice(2);
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
let calling;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === 'initialize')
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'page', version: '1.0.0' },
      },
    });
  else if (method === 'tools/list')
    send({ id, result: { tools: [{ name: 'page', inputSchema: { type: 'object' } }] } });
  else if (method === 'tools/call') {
    calling = id;
    const asked = { mode: 'url', message: 'Open it.', url, elicitationId: 'page-1' };
    send({ id: 'ask', method: 'elicitation/create', params: asked });
  } else if (id === 'ask') {
    const text = JSON.stringify(result ?? error);
    send({ id: calling, result: { content: [{ type: 'text', text }] } });
  } else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
});
