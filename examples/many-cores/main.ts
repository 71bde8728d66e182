// A server on every core of this machine: node examples/dist/many-cores/main.js [state.db]
import cluster, { type Worker } from 'node:cluster';
import { rm, mkdtemp } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecret } from 'crosspoint/server';
import { work } from './worker.ts';

const PORT = Number(process.env['PORT'] ?? 3000);
const WORKERS = Number(process.env['WORKERS'] ?? availableParallelism());

if (cluster.isPrimary) await lead();
else await work(PORT, process.env['STATE'] ?? '', process.env['SEALING_KEY'] ?? '');

/** Starts the workers, and another in the place of one that ended. They share the port, the file with the sessions, and the sealing key. */
async function lead(): Promise<void> {
  const [given] = process.argv.slice(2);
  const folder = given === undefined ? await mkdtemp(join(tmpdir(), 'crosspoint-cores-')) : undefined;
  const STATE = given ?? join(folder ?? '', 'state.db');
  const shared = { STATE, SEALING_KEY: process.env['SEALING_KEY'] ?? createSecret() };
  let isEnding = false;
  const start = (): Worker => cluster.fork({ ...shared });
  for (let count = 0; count < WORKERS; count += 1) start();
  let listening = 0;
  cluster.on('listening', (_, { port }) => {
    listening += 1;
    if (listening === WORKERS) console.log(`http://127.0.0.1:${port}/mcp on ${WORKERS} processes`);
  });
  cluster.on('exit', () => {
    if (!isEnding) start();
    else if (Object.keys(cluster.workers ?? {}).length === 0 && folder !== undefined)
      void rm(folder, { recursive: true, force: true });
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      isEnding = true;
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
    });
}
