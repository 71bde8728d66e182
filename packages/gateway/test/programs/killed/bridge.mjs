// A bridge that is killed: `node bridge.mjs '<json>'` with { upstream, port?, database, keys, forMs, downBy?, pids? }. `upstream` is an address, or the settings of
// `upstream.mjs` as a child. With `downBy: 'stdio'` it serves its own stdin and stdout, and notes its id in the file `pids`.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { bridge } from '@crosspoint/gateway';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { createMcpHandler } from 'crosspoint/server';
import { serveStdio } from 'crosspoint/server/stdio';
import { sqliteStore } from 'crosspoint/stores/sqlite';

const { upstream, port, database, keys, forMs, downBy, pids } = JSON.parse(process.argv[2]);
if (pids) appendFileSync(pids, `${JSON.stringify({ what: 'bridge', pid: process.pid })}\n`);

function child() {
  const args = [fileURLToPath(new URL('upstream.mjs', import.meta.url)), JSON.stringify(upstream)];
  return {
    connect: (client) =>
      client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' })),
  };
}

const face = bridge(typeof upstream === 'string' ? upstream : child(), {
  keys,
  leaseMs: 500,
  parking: { forMs },
  store: sqliteStore(new DatabaseSync(database), { pollMs: 20 }),
  onproblem: (problem) => process.env['VERBOSE'] && console.error('bridge:', problem.message),
});
const stop = (close) => () => void close().finally(() => process.exit(0));

if (downBy === 'stdio') {
  const serving = await serveStdio(face);
  process.on(
    'SIGTERM',
    stop(() => serving.close().then(() => face.close())),
  );
} else {
  const handler = createMcpHandler(face, { path: '/mcp' });
  const http = createServer((request, response) => void handler.node(request, response));
  process.on(
    'SIGTERM',
    stop(() => handler.close({ grace: 0 }).then(() => face.close())),
  );
  http.listen(port, '127.0.0.1', () => process.send(http.address().port));
}
