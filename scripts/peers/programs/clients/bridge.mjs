// A bridge between our server and a client of the official SDK: for our server, the bridge is the client.
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { useWithV1 } from './v1-use.mjs';

const LOOK_MS = 100;

/** The bridge speaks over stdio. */
export function bridgeOverStdio(file, args) {
  const command = { command: process.execPath, args: [join('node_modules', file), ...args], env: process.env };
  return useWithV1(new StdioClientTransport({ ...command, stderr: 'ignore' }));
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

async function opened(port) {
  const isOpen = await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy()));
    socket.on('error', () => resolve(undefined));
  });
  if (isOpen !== undefined) return;
  await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  await opened(port);
}

/** The bridge listens on a port of loopback. */
export async function bridgeOverHttp(file, argsFor) {
  const port = await freePort();
  const child = spawn(process.execPath, [join('node_modules', file), ...argsFor(String(port))], { stdio: 'ignore' });
  await opened(port);
  await useWithV1(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)), () => child.kill());
}
