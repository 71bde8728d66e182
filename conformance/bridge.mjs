// A bridge for the official conformance suite: node conformance/bridge.mjs <address> serves the server at that address to clients of every
// revision, at an address that it prints.
import { createServer } from 'node:http';
import { bridge } from '@crosspoint/gateway';
import { createMcpHandler } from 'crosspoint/server';

const handler = createMcpHandler(bridge(process.argv.at(-1)), { path: '/mcp' });
const http = createServer((request, response) => void handler.node(request, response));
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
