import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { serveWebSocket } from './websocket-server.ts';

const PROGRAM = fileURLToPath(new URL('program.mjs', import.meta.url));
/** Node 20 and 21 have one behind a flag, later ones without. */
const FLAGS = Number(process.versions.node.split('.', 1)[0]) < 22 ? ['--experimental-websocket'] : [];
const ended: (() => void)[] = [];
afterEach(() => ended.splice(0).forEach((end) => end()));

const RESULTS: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'ws', version: '1' } },
  'tools/list': { tools: [{ name: 'over-the-socket', inputSchema: { type: 'object' } }] },
};

test('a client lists tools over WebSocket, is told of garbage and of a server that is not there, and survives callbacks that throw', async () => {
  const { port, server } = await serveWebSocket((text) => {
    const { id, method } = JSON.parse(text) as { id?: unknown; method: string };
    if (id === undefined) return [];
    return ['no JSON', '{"jsonrpc":"1.0"}', JSON.stringify({ jsonrpc: '2.0', id, result: RESULTS[method] ?? {} })];
  });
  ended.push(() => (server.closeAllConnections(), server.close()));
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', ...FLAGS, PROGRAM, String(port)]);
  expect(JSON.parse(stdout)).toEqual({
    survived: true,
    tools: ['over-the-socket'],
    again:
      'WebSocketClientTransport already started! If using Client class, note that connect() calls start() automatically.',
    unstarted: 'Not connected',
    nobody: true,
    problems: true,
  });
});
