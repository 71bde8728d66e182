/** Serves a page whose script is a client, and the server that it calls. Open the printed address. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createMcpHandler } from 'crosspoint/server';
import { build } from 'esbuild';
import { createDemoServer } from '../demo-server/demo-server.ts';

const PAGE = `<!doctype html>
<meta charset="utf-8">
<title>Crosspoint in a browser</title>
<h1>Crosspoint in a browser</h1>
<output style="white-space: pre-line">Connecting …</output>
<script src="/page.js" defer></script>
`;

/** The page runs its own script, talks with its own server, and does nothing else, whatever a server sends it. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('./page.js', import.meta.url))],
  bundle: true,
  minify: true,
  write: false,
  platform: 'browser',
  format: 'iife',
});
const script = outputFiles[0]?.text ?? '';

const handler = createMcpHandler(createDemoServer(), { path: '/mcp' });
const http = createServer((request, response) => {
  if (request.url === '/')
    response.setHeader('Content-Type', 'text/html').setHeader('Content-Security-Policy', POLICY).end(PAGE);
  else if (request.url === '/page.js') response.setHeader('Content-Type', 'text/javascript').end(script);
  else void handler.node(request, response);
});
http.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1');
await once(http, 'listening');
console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`);

async function stop(): Promise<void> {
  http.close();
  await handler.close({ grace: 1000 });
  http.closeAllConnections();
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
