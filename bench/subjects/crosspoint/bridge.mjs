// The bridge as its program runs it; stdout belongs to the protocol, and nothing is written to stderr.
import { serveBridge } from '@crosspoint/gateway/program';
import { listening } from '../loopback.mjs';

const LOOPBACK = { host: '127.0.0.1', port: 0, path: '/mcp', isLoopback: true };

export async function start({ face, url, command: [command, ...args] = [], options = {} }) {
  void serveBridge({
    target: url === undefined ? { kind: 'program', command, args } : { kind: 'address', url },
    face: face === 'http' ? { kind: 'http', address: LOOPBACK } : { kind: 'stdio' },
    log: 'quiet',
    ...options,
  });
  return face === 'http' ? { port: await listening } : {};
}
