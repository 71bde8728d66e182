// A Redis of our own on a free port, which can be stopped and started again with its data.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(String(data).startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });

/** `keeps`: its data outlives the process, which makes it depend on the disk. */
export async function startRedis({ keeps }) {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-chaos-'));
  const port = await freePort();
  let child;
  const start = async () => {
    const kept = ['--dir', folder, '--save', '', '--appendonly', keeps ? 'yes' : 'no'];
    child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', ...kept], { stdio: 'ignore' });
    const failed = new Promise((_, reject) => child.once('error', reject));
    failed.catch(() => {});
    for (const end = Date.now() + 20_000; !(await Promise.race([answers(port), failed]));) {
      if (Date.now() > end) throw new Error('redis-server does not answer.');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const stop = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    stop,
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
