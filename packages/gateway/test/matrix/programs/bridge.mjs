// Bridges: `bridge.mjs stdio <target>`, or `bridge.mjs http <target> …`, which prints the addresses as a line of JSON. A target is an
// address, or the arguments of a Node program as a JSON array. With TRACE set to a file, every message of both hops is appended to it.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { SSEClientTransport, StreamableHTTPClientTransport } from 'crosspoint/client';
import { createMcpHandler } from 'crosspoint/server';
import { tapMessages } from 'crosspoint/server/relaying';
import { serveStdio } from 'crosspoint/server/stdio';
import { bridge } from '@crosspoint/gateway';

const file = process.env['TRACE'];
const trace = (hop) =>
  tapMessages((direction, message) => {
    appendFileSync(file, `${hop} ${direction} ${JSON.stringify(message)}\n`);
  });

function transportTo(target) {
  if (target.endsWith('/sse')) return new SSEClientTransport(new URL(target));
  if (target.startsWith('http')) return new StreamableHTTPClientTransport(new URL(target));
  return new StdioClientTransport({ command: process.execPath, args: JSON.parse(target), stderr: 'inherit' });
}

function bridgeTo(target) {
  return bridge({
    connect: async (client) => {
      const transport = transportTo(target);
      await client.connect(file === undefined ? transport : trace('up').transport(transport));
    },
  });
}

async function listen(target) {
  const handler = createMcpHandler(bridgeTo(target), {
    path: '/mcp',
    ...(file !== undefined && { tap: trace('down').handler }),
  });
  const http = createServer((request, response) => void handler.node(request, response));
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${http.address().port}/mcp`;
}

const [carrier, ...targets] = process.argv.slice(2);
if (carrier === 'http') {
  console.log(JSON.stringify(await Promise.all(targets.map(listen))));
  // Ends with the program that started it.
  process.stdin.on('end', () => process.exit(0)).resume();
} else await serveStdio(bridgeTo(targets[0]));
