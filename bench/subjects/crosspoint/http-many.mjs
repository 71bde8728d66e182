// One server in several processes on one port, as examples/many-cores does it. Sessions are in a SQLite file that the processes share.
import cluster from 'node:cluster';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export async function start({ processes, mode }) {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('./http-many-worker.mjs', import.meta.url)),
    args: [mode, join(folder, 'state.db')],
  });
  const workers = Array.from({ length: processes }, () => cluster.fork());
  const ports = await Promise.all(
    workers.map((worker) => new Promise((resolve) => worker.once('listening', ({ port }) => resolve(port)))),
  );
  return { port: ports[0], commands: { workers: () => workers.map(({ process: { pid } }) => pid) } };
}
