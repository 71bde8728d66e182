import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Redis of our own, on a free port of the loopback interface. */
export interface PrivateRedis {
  readonly url: string;
  readonly port: number;
  /** Stops it as a crash would, or lets it go on; what was kept is written to disk with every write. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stands still without closing a connection, and goes on. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether `redis-server` can be run here. */
export async function hasRedis(): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('redis-server', ['--version'], { stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}

async function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });
}

/** Starts a Redis; `more` are further arguments of `redis-server`. */
export async function startRedis(more: readonly string[] = []): Promise<PrivateRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes'];
    child = spawn('redis-server', [...args, '--appendfsync', 'always', ...more], { stdio: 'ignore' });
    const deadline = Date.now() + 20_000;
    while (!(await answers(port))) {
      if (Date.now() > deadline || child.exitCode !== null) throw new Error('redis-server does not answer.');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const kill = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    start,
    kill,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
