// A client over WebSocket: lists the tools of the server at the port it is given, then meets garbage and a server that is not there.
// Run with --experimental-websocket where Node has no WebSocket of its own.
import { Client } from '@crosspoint/sdk/client/index.js';
import { WebSocketClientTransport } from '@crosspoint/sdk/client/websocket.js';

const url = new URL(`ws://127.0.0.1:${process.argv[2]}`);
const transport = new WebSocketClientTransport(url);
const client = new Client({ name: 'over-websocket', version: '1' });
const problems = [];
client.onerror = (error) => problems.push(error.name);
await client.connect(transport);
const { tools } = await client.listTools();
const again = await transport.start().catch((error) => error.message);
const closed = new Promise((resolve) => (client.onclose = resolve));
await client.close();
await closed;
const unstarted = await new WebSocketClientTransport(url)
  .send({ jsonrpc: '2.0', method: 'x' })
  .catch((error) => error.message);
const nobody = await new WebSocketClientTransport(new URL('ws://127.0.0.1:1'))
  .start()
  .catch((error) => error instanceof Error);
// Callbacks that throw end nothing: the answer to a second transport's request is still seen.
const careless = new WebSocketClientTransport(url);
const answered = new Promise((resolve) => {
  careless.onmessage = () => {
    resolve(true);
    throw new Error('onmessage');
  };
});
careless.onerror = () => {
  throw new Error('onerror');
};
const over = new Promise((resolve) => {
  careless.onclose = () => {
    resolve(true);
    throw new Error('onclose');
  };
});
await careless.start();
await careless.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const survived = (await answered) && (await careless.close(), await over);
await new Promise((resolve) => setImmediate(resolve));
console.log(
  JSON.stringify({
    survived,
    tools: tools.map(({ name }) => name),
    again,
    unstarted,
    nobody,
    problems: problems.length > 0,
  }),
);
